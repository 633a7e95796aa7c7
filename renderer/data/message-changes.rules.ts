/** The text of the notice of a change, and its effect on the message (specification/messages.md#changes). Pure. */
import type { Message } from '#protocol/message.ts';
import { acceptedAt } from '#protocol/message-time.ts';
import { deletedBody, messageEvents } from '#protocol/vocabulary.ts';

export interface NoticedChange {
  kind: 'edited' | 'deleted';
  messageId: string;
}

/** Returns the change that the message tells of; null if it tells of none. Only the broker writes events. */
export function noticedChange({ data }: Pick<Message, 'data'>): NoticedChange | null {
  const { type, messageId } = (data.event ?? {}) as { type?: unknown; messageId?: unknown };
  if (typeof messageId !== 'string') return null;
  if (type === messageEvents.edited) return { kind: 'edited', messageId };
  return type === messageEvents.deleted ? { kind: 'deleted', messageId } : null;
}

/** Returns the message as it is after the change that the notice tells of. */
export function changedBy(message: Message, { body, ts }: Message, kind: NoticedChange['kind']): Message {
  if (kind === 'edited') return { ...message, body, edited: { at: ts } };
  const { thread } = message.data;
  return {
    ...message,
    title: null,
    body: deletedBody,
    data: thread === undefined ? {} : { thread },
    attachments: [],
    deleted: { at: ts },
  };
}

/** Returns the notice of an earlier edit without its text, after `later` tells of the next change of the same message. */
export const withoutText = (notice: Message, { ts }: Pick<Message, 'ts'>): Message => ({
  ...notice,
  title: null,
  body: deletedBody,
  deleted: { at: ts },
});

/** Whether the member may still change the message, as far as the console knows. `maxAgeMs`: for so long. */
export const isChangeable = (message: Message, self: string, now: number, maxAgeMs: number): boolean =>
  message.from === self &&
  message.data.event === undefined &&
  message.deleted === undefined &&
  now - acceptedAt(message) <= maxAgeMs;
