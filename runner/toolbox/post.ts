/**
 * The one place where a tool builds a post, with the key that lets it be sent twice and stored once
 * (specification/api.md#idempotency).
 */
import { randomUUID } from 'node:crypto';
import type { Level } from '#protocol/message.ts';
import { formatScope } from '#protocol/scope.ts';
import type { BrokerCalls } from './broker-calls.ts';

export interface Post {
  body: string;
  title?: string | undefined;
  level?: Level | undefined;
  /** Paths on the team filesystem. */
  attachments?: readonly string[] | undefined;
  /** The id of the message that the post answers. */
  inReplyTo?: string | undefined;
  /** The runner posts it by itself (specification/messages.md#replies). */
  auto?: true;
}

export type Place =
  | { kind: 'everyone' }
  | { kind: 'member'; name: string }
  | { kind: 'channel'; channelId: string }
  | { kind: 'objective'; objectiveId: string };

/** Lets a request be repeated after a lost answer without doing its work twice. */
export const repeatable = (): { headers: Record<string, string> } => ({
  headers: { 'idempotency-key': randomUUID() },
});

export interface Posted {
  /** How the result of a tool describes the post. */
  text: string;
  structured: { messageId: string; live?: number; targets?: number };
}

/** @throws ToolError. */
export async function post(broker: BrokerCalls, place: Place, given: Post): Promise<Posted> {
  const attachments = await broker.resolveAttachments(given.attachments);
  const { level, ...rest } = given;
  const content = { ...rest, attachments };
  const request = repeatable();
  if (place.kind === 'objective') {
    const params = { id: place.objectiveId };
    const message = await broker.call('discussObjective', { params, body: content, ...request });
    return { text: `msg=${message.id}`, structured: { messageId: message.id } };
  }
  const to = place.kind === 'member' ? place.name : null;
  const thread =
    place.kind === 'channel'
      ? { data: { thread: formatScope({ kind: 'channel', channelId: place.channelId }) } }
      : {};
  const { message, delivery } = await broker.call('push', {
    body: { ...content, to, level, ...thread },
    ...request,
  });
  const { live, targets } = delivery;
  return {
    text: `live=${live} targets=${targets} msg=${message.id}`,
    structured: { messageId: message.id, live, targets },
  };
}
