/** A message as it is stored, and what the API shows of it. */
import type { Level, Message } from '#protocol/message.ts';

/** A message as it is stored; `data` and `attachments` are JSON text. */
export interface MessageRow {
  id: string;
  ts: number;
  sender: string;
  recipient: string | null;
  /** The stored key of the conversation; see `scopes/scope-key.ts`. */
  scope: string;
  title: string | null;
  body: string;
  level: string;
  data: string;
  attachments: string;
  /** The id of the message that it answers. */
  in_reply_to: string | null;
  auto: 0 | 1;
  /** As in `holds/hold.rules.ts`; null if no agent wrote it. */
  agent_hops: number | null;
  /** The change that its sender made to its text after it was accepted, and its time; absent in a new message. */
  changed?: 'edited' | 'deleted' | null;
  changed_at?: number | null;
  /** When it was accepted, if `ts` is in the future of that time. */
  accepted_at?: number | null;
}

export type StoredMessage = MessageRow & { seq: number };

export const messageColumns =
  'seq, id, ts, sender, recipient, scope, title, body, level, data, attachments, in_reply_to, auto, agent_hops, changed, changed_at, accepted_at';

export function toMessage(row: MessageRow): Message {
  const message: Message = {
    id: row.id as Message['id'],
    ts: row.ts,
    from: row.sender,
    to: row.recipient,
    title: row.title,
    body: row.body,
    level: row.level as Level,
    data: JSON.parse(row.data),
    attachments: JSON.parse(row.attachments),
  };
  if (row.in_reply_to !== null) message.inReplyTo = row.in_reply_to as Message['id'];
  if (row.auto === 1) message.auto = true;
  if (row.agent_hops !== null) message.agent = { hops: row.agent_hops };
  if (row.changed) message[row.changed] = { at: row.changed_at ?? row.ts };
  if (typeof row.accepted_at === 'number') message.acceptedAt = row.accepted_at;
  return message;
}

/** Returns the JSON of `toMessage(row)`; what is stored as JSON is not parsed again. */
export function messageJson(row: MessageRow): string {
  const { id, ts, sender, recipient, title, body, level, data, attachments, in_reply_to, agent_hops } = row;
  const names = `"from":${JSON.stringify(sender)},"to":${JSON.stringify(recipient)}`;
  const text = `"title":${JSON.stringify(title)},"body":${JSON.stringify(body)},"level":"${level}"`;
  const reply = in_reply_to === null ? '' : `,"inReplyTo":"${in_reply_to}"`;
  const auto = row.auto === 1 ? ',"auto":true' : '';
  const agent = agent_hops === null ? '' : `,"agent":{"hops":${agent_hops}}`;
  const change = row.changed ? `,"${row.changed}":{"at":${row.changed_at}}` : '';
  const accepted = typeof row.accepted_at === 'number' ? `,"acceptedAt":${row.accepted_at}` : '';
  return `{"id":"${id}","ts":${ts},${names},${text},"data":${data},"attachments":${attachments}${reply}${auto}${agent}${change}${accepted}}`;
}
