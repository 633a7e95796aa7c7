/**
 * The one place where a tool builds a post, with the key that lets it be sent twice and stored once
 * (specification/api.md#idempotency).
 */
import { randomUUID } from 'node:crypto';
import type { HoldReason, Level } from '#protocol/message.ts';
import { formatScope } from '#protocol/scope.ts';
import type { ToolContext } from './tool.ts';

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
  /** For a post that may be sent again: an id of its own. */
  key?: string;
}

export type Place =
  | { kind: 'everyone' }
  | { kind: 'member'; name: string }
  | { kind: 'channel'; channelId: string }
  | { kind: 'objective'; objectiveId: string };

/** Lets a request be repeated after a lost answer without doing its work twice. */
export const repeatable = (key: string = randomUUID()): { headers: Record<string, string> } => ({
  headers: { 'idempotency-key': key },
});

export interface Posted {
  /** The result of the tool. */
  text: string;
  structured: { messageId: string; live?: number; targets?: number } | { heldId: string; reason: HoldReason };
  isHeld?: true;
}

type PostContext = Pick<ToolContext, 'broker' | 'briefing' | 'causes'>;

const whyHeld: Record<HoldReason, string> = {
  hops: 'too many posts by agents followed one another since a person wrote',
  rate: 'agents exchange posts faster than a person can follow',
};

function heldPost({ id, reason }: { id: string; reason: HoldReason }, { briefing }: PostContext): Posted {
  const managers = briefing.teammates.filter(({ permissions }) => permissions.includes('members.manage'));
  const names = managers.map(({ name }) => name).join(', ');
  const text = `held, not delivered: ${whyHeld[reason]}. Do not send it again. A person must release it; ask ${names}. held=${id}`;
  return { text, structured: { heldId: id, reason }, isHeld: true };
}

/** `said`: how the tool's result says it, around the counts and the id. @throws ToolError. */
export async function post(
  context: PostContext,
  place: Place,
  given: Post,
  said: (counts: string) => string = (counts) => counts,
): Promise<Posted> {
  const { broker, causes } = context;
  const attachments = await broker.resolveAttachments(given.attachments);
  const { level, key, ...rest } = given;
  const content = { ...rest, attachments, causes: [...causes()] };
  const request = repeatable(key);
  if (place.kind === 'objective') {
    const params = { id: place.objectiveId };
    const { id, held } = await broker.call('discussObjective', { params, body: content, ...request });
    return held === undefined
      ? { text: said(`msg=${id}`), structured: { messageId: id } }
      : heldPost(held, context);
  }
  const to = place.kind === 'member' ? place.name : null;
  const thread =
    place.kind === 'channel'
      ? { data: { thread: formatScope({ kind: 'channel', channelId: place.channelId }) } }
      : {};
  const { message, delivery, held } = await broker.call('push', {
    body: { ...content, to, level, ...thread },
    ...request,
  });
  if (held !== undefined) return heldPost(held, context);
  const { live, targets } = delivery;
  return {
    text: said(`live=${live} targets=${targets} msg=${message.id}`),
    structured: { messageId: message.id, live, targets },
  };
}
