/** Sending, history, and the live stream of messages (specification/messages.md#push). */

import { refuse } from '#protocol/errors.ts';
import type { MemberName } from '#protocol/ids.ts';
import { limits } from '#protocol/limits.ts';
import type {
  HistoryQuery,
  HistoryWindowQuery,
  Message,
  MessageChange,
  PushPayload,
} from '#protocol/message.ts';
import { formatScope, parseScope, type Scope } from '#protocol/scope.ts';
import { messageEvents } from '#protocol/vocabulary.ts';
import type { JsonItems } from '../../http/json-list.ts';
import type { JsonReply } from '../../http/json-reply.ts';
import type { Audience } from '../../http/live-stream.ts';
import type { LiveStreams } from '../../http/live-streams.ts';
import type { StreamSink } from '../../http/sse.ts';
import type { Actor } from '../../runtime/actor.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { MessageStamp } from '../../runtime/message-stamps.ts';
import type { Audit } from '../audit/audit.service.ts';
import type { Author, Authors } from '../holds/authors.service.ts';
import type { AnswerKey, Idempotency } from '../idempotency/idempotency.service.ts';
import type { Members } from '../members/members.service.ts';
import { audienceOfMember, scopeKey, scopeNameOf } from '../scopes/scope-key.ts';
import { createBacklog } from './backlog.ts';
import { createChannelAudiences } from './channel-audiences.ts';
import { readHistory, readHistoryWindow } from './history.ts';
import type { MessageChangeRequest } from './message-changes.sqlite.ts';
import type { MessageFrames } from './message-frames.ts';
import { type MessageRow, toMessage } from './message-row.rules.ts';
import { channelForm, scopeOfPush } from './message-scope.rules.ts';
import { dataText, refuseUnreadable } from './messages.rules.ts';
import type {
  Accepted,
  Addressed,
  Attached,
  ChannelMembers,
  MessageUnits,
  Stored,
} from './messages.sqlite.ts';
import type { MissedUnits } from './missed.sqlite.ts';
import type { Posting } from './posting.service.ts';

export type { MessageRow } from './message-row.rules.ts';
export type { Posting } from './posting.service.ts';

export interface Messages {
  /**
   * Returns the JSON of the PushResult. The message is durable and on its way to every live stream that it
   * concerns.
   */
  push(sender: Actor, payload: PushPayload, idempotencyKey: string | undefined): Promise<string>;
  /**
   * Changes the text of a message of the caller, or removes it if `body` is null, and tells its conversation.
   * @throws BrokerError not_found, forbidden, conflict.
   */
  change(sender: Actor, id: string, body: string | null): Promise<MessageChange>;
  /** Delivers a held post of the main store as its writer's. @throws BrokerError. */
  release(held: MessageRow): Promise<Message>;
  /** Returns the messages of a History as JSON. @throws BrokerError before the first page. */
  history(reader: MemberName, query: HistoryQuery): Promise<JsonItems>;
  /** Returns the JSON of a HistoryWindow. @throws BrokerError. */
  historyWindow(reader: MemberName, query: HistoryWindowQuery): Promise<JsonReply>;
  /** Opens the reader's live stream. */
  subscribe(reader: Actor, request: Subscription, sink: StreamSink): void;
}

export interface Subscription {
  /** The last cursor that the reader saw; undefined for live only. */
  cursor: string | undefined;
  /** Whether the stream also gets receipts, presence, and changes (specification/streams.md#news). */
  takesNews: boolean;
}

export interface MessagesDeps {
  units: MessageUnits & MissedUnits;
  members: Members;
  streams: LiveStreams;
  posting: Posting;
  idempotency: Pick<Idempotency, 'complete'>;
  /** False without a files block: then there is nothing to attach. */
  hasFiles: () => boolean;
  nextStamp: () => MessageStamp;
  frames: MessageFrames;
  /** The newest position from which a message was removed. */
  floor: () => number;
  authors: Authors;
  audit: Pick<Audit, 'entry'>;
  /** Whether a legal hold keeps the conversation with this stored key. */
  isKept: (key: string) => boolean;
  /** The members that a legal hold is on. */
  heldMembers: () => readonly string[];
  clock: Clock;
}

/** `reply`: the JSON of the PushResult. `isKept`: the same is kept under the key of the request. */
interface Published {
  message: Message;
  changed?: Message;
  reply: string;
  isKept: boolean;
}

/** A message before it is stamped. */
interface Draft extends Pick<MessageRow, 'title' | 'body' | 'level' | 'data' | 'in_reply_to' | 'auto'> {
  sender: MemberName;
  scope: Scope;
  attachments: string[];
}

/** The addressees of a message, as far as they are known before it is in the order of acceptance. */
interface Address {
  /** `to` of the message. */
  recipient: MemberName | null;
  addressed: Addressed;
  /** The cached members of the addressed channel. */
  channel: ChannelMembers | null;
}

export function createMessages(deps: MessagesDeps): Messages {
  const { units, members, streams, posting, idempotency, hasFiles, nextStamp, frames } = deps;
  const { floor, authors, isKept, heldMembers, audit, clock } = deps;
  const channels = createChannelAudiences();
  const backlog = createBacklog({ units, frames });

  /** `mayBeGone`: the other side of a direct conversation may have been removed since. */
  function address(sender: MemberName, scope: Scope, mayBeGone: boolean): Address {
    switch (scope.kind) {
      case 'general': {
        const targets = members.teammates().length - 1;
        return { recipient: null, addressed: { kind: 'everyone', targets }, channel: null };
      }
      case 'direct': {
        const found = members.find(scope.member);
        if (found === undefined && !mayBeGone) refuse('unknown_member', { name: scope.member });
        const recipient = found?.name ?? (scope.member as MemberName);
        const both = [...new Set(found === undefined ? [sender] : [sender, recipient])];
        return { recipient, addressed: { kind: 'members', members: both, targets: 1 }, channel: null };
      }
      case 'channel': {
        const { channelId } = scope;
        const channel = channels.known(channelId);
        const known = channel && { version: channel.version, size: channel.members.length };
        return { recipient: null, addressed: { kind: 'channel', channelId, known }, channel };
      }
      case 'objective':
        return refuse('invalid_thread', { form: channelForm });
    }
  }

  /** Returns to whom the frame goes, and for how many members it is, now that the store has decided. */
  function audienceOf(
    sender: MemberName,
    { addressed, channel }: Address,
    fresh: ChannelMembers | null,
  ): { audience: Audience; targets: number } {
    switch (addressed.kind) {
      case 'everyone':
        return { audience: 'everyone', targets: addressed.targets };
      case 'members':
        return { audience: addressed.members, targets: addressed.targets };
      case 'channel': {
        if (fresh !== null) channels.keep(addressed.channelId, fresh);
        const audience = (fresh ?? channel)?.members ?? [sender];
        return { audience, targets: audience.length - 1 };
      }
    }
  }

  /**
   * Counts connections of the addressed members. The sender's own connections get the message, too, but are
   * no delivery.
   */
  function liveConnections(sender: MemberName, { recipient }: Address, audience: Audience): number {
    if (recipient !== null) return streams.connections(recipient);
    if (audience === 'everyone') return streams.total - streams.connections(sender);
    let live = 0;
    for (const member of audience) if (member !== sender) live += streams.connections(member);
    return live;
  }

  function attachedTo(sender: MemberName, to: Address, key: string, paths: string[]): Attached | null {
    if (paths.length === 0) return null;
    if (!hasFiles()) refuseUnreadable(sender, paths);
    const permissions = [...(members.find(sender)?.permissions ?? [])];
    const audience = to.recipient === null ? key : audienceOfMember(to.recipient);
    return { paths, permissions, audience, audit: audit.entry('files_shared', {}) };
  }

  async function accept(
    draft: Draft,
    author: Author,
    answerKey: AnswerKey | null,
    change?: MessageChangeRequest,
  ): Promise<Exclude<Accepted, Stored> | Published> {
    const { sender, scope, attachments } = draft;
    const key = scopeKey(scope, sender);
    const to = address(sender, scope, change !== undefined);
    // Seldom do streams open or end until it is known.
    const expected =
      answerKey === null ? 0 : liveConnections(sender, to, audienceOf(sender, to, null).audience);
    const { id, ts, accepted_at } = nextStamp();
    const row: MessageRow = {
      id,
      ts,
      sender,
      recipient: to.recipient,
      scope: key,
      title: draft.title,
      body: draft.body,
      level: draft.level,
      data: draft.data,
      attachments: JSON.stringify(attachments),
      in_reply_to: draft.in_reply_to,
      auto: draft.auto,
      agent_hops: null,
      accepted_at,
    };
    const accepted = await units.acceptMessage({
      message: row,
      author,
      reader: members.readerOf(sender),
      // They hear of an answer.
      managers: draft.in_reply_to === null ? [] : members.managers(),
      to: to.addressed,
      answerKey,
      live: expected,
      attached: attachedTo(sender, to, key, attachments),
      ...(change && { change }),
    });
    if (!('seq' in accepted)) return accepted;
    const { seq, answered, changed } = accepted;
    row.agent_hops = accepted.hops;
    const message = toMessage(row);
    const { audience, targets } = audienceOf(sender, to, accepted.channel);
    const live = liveConnections(sender, to, audience);
    const json = posting.publish({ seq, message, audience, answered });
    const reply = `{"delivery":{"live":${live},"targets":${targets}},"message":${json}}`;
    return { message, reply, isKept: live === expected, ...(changed && { changed }) };
  }

  return {
    async push(actor, payload, key) {
      const { name } = actor;
      const draft: Draft = {
        sender: name,
        scope: scopeOfPush(payload),
        title: payload.title ?? null,
        body: payload.body,
        level: payload.level,
        data: dataText(payload),
        attachments: [...new Set<string>(payload.attachments ?? [])],
        in_reply_to: payload.inReplyTo ?? null,
        auto: payload.auto === true ? 1 : 0,
      };
      const author = authors.authorOf(actor, payload.causes, payload.to ?? null);
      return posting.once({ member: name, operation: 'push', key, body: payload }, async (answerKey) => {
        const outcome = await accept(draft, author, answerKey);
        if (answerKey !== null && 'isKept' in outcome && !outcome.isKept)
          await idempotency.complete(answerKey, outcome.reply);
        return outcome;
      });
    },
    async change(actor, id, body) {
      const { name } = actor;
      if (authors.isAgent(actor)) refuse('changed_by_person');
      const change = { id, body, since: clock() - limits.message.changeMs, held: heldMembers() };
      const key = await units.changeableScope({ ...change, reader: members.readerOf(name) });
      if (isKept(key)) refuse('message_is_record', { why: 'a legal hold keeps it' });
      const scope = parseScope(scopeNameOf(key, name)) ?? refuse('unknown_conversation');
      const type = body === null ? messageEvents.deleted : messageEvents.edited;
      const draft: Draft = {
        sender: name,
        scope,
        title: body === null ? null : 'Correction of an earlier message',
        body: body ?? 'deleted an earlier message.',
        level: 'info',
        data: JSON.stringify({
          ...(scope.kind === 'channel' && { thread: formatScope(scope) }),
          event: { type, messageId: id },
        }),
        attachments: [],
        in_reply_to: id,
        auto: 0,
      };
      const outcome = await accept(draft, { kind: 'person' }, null, change);
      if (!('changed' in outcome) || outcome.changed === undefined)
        throw new Error('a change of a message is neither repeated nor held');
      return { message: outcome.changed, notice: outcome.message };
    },
    async release(held) {
      const { sender, title, body, level, data, in_reply_to, auto } = held;
      const draft: Draft = {
        sender: sender as MemberName,
        scope: parseScope(scopeNameOf(held.scope, sender)) ?? refuse('unknown_conversation'),
        title,
        body,
        level,
        data,
        attachments: JSON.parse(held.attachments) as string[],
        in_reply_to,
        auto,
      };
      const outcome = await accept(
        draft,
        { kind: 'release' as const, heldId: held.id, audit: audit.entry('held_released', {}) },
        null,
      );
      if (!('message' in outcome)) throw new Error('a release is neither repeated nor held');
      return outcome.message;
    },
    history: (reader, query) => readHistory({ units, members }, reader, query),
    historyWindow: (reader, query) => readHistoryWindow({ units, members }, reader, query),
    subscribe(reader, { cursor, takesNews }, sink) {
      const newest = streams.position;
      const named = cursor === undefined ? null : frames.positionOf(cursor, newest);
      const after = named !== null && named >= floor() ? named : null;
      const opening =
        cursor !== undefined && after === null ? frames.reset(newest) : frames.ready(after ?? newest);
      streams.open({
        key: reader.name,
        credentialId: reader.credentialId,
        // Tokens and sessions end their streams themselves; only a JWT's end is known here.
        endsAt: reader.plane === 'jwt' ? reader.expiresAt : null,
        takesNews,
        sink,
        opening,
        after,
        backlog: (position) => backlog.pageAfter({ reader: members.readerOf(reader.name), after: position }),
      });
    },
  };
}
