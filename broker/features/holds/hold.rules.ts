/** When the post of an agent waits for a person (specification/messages.md#held-posts). Pure. */
import { limits } from '#protocol/limits.ts';
import type { HoldReason } from '#protocol/message.ts';

const { pairPosts, pairWindowMs, answersWithinMs } = limits.holds;

/** A message of the conversation, as far as it decides about the next post. */
export interface Earlier {
  sender: string;
  /** Epoch ms. */
  ts: number;
  hops: Hops;
}

/** Posts by agents since a person wrote; null if no agent wrote it, 0 if a person released it. */
export type Hops = number | null;

/** A post of an agent that is to be decided. */
export interface Candidate {
  sender: string;
  hops: number;
  /** The most hops that the team lets pass. */
  maxHops: number;
  isDirect: boolean;
  /** Epoch ms. */
  now: number;
}

/** Whether a person stands behind the message: wrote or released it. */
export const isPersons = (hops: Hops): boolean => hops === null || hops === 0;

/**
 * Returns the hops of an agent's post. `causes`: the hops of the messages that caused it. A direct message without any counts as
 * an answer to the newest one of the other side in the last ten minutes, so that leaving causes out resets nothing.
 *
 * @param earlier the conversation, newest first.
 */
export function hopsOf(
  causes: readonly Hops[],
  earlier: Iterable<Earlier>,
  { sender, isDirect, now }: Pick<Candidate, 'sender' | 'isDirect' | 'now'>,
): number {
  if (causes.length > 0) return 1 + Math.max(...causes.map((hops) => hops ?? 0));
  if (!isDirect) return 1;
  for (const one of earlier) {
    if (one.ts <= now - answersWithinMs) break;
    if (one.sender !== sender) return 1 + (one.hops ?? 0);
  }
  return 1;
}

/**
 * Returns why the post is held, or null. A direct exchange counts the posts of both sides. In a group, where one agent may report a lot to
 * nobody in particular, a pair counts as far as both of its members post: twice the posts of the quieter one.
 *
 * @param earlier the conversation, newest first.
 */
export function holdReasonOf(candidate: Candidate, earlier: Iterable<Earlier>): HoldReason | null {
  if (candidate.hops > candidate.maxHops) return 'hops';
  const countBySender = new Map<string, number>();
  for (const { sender, ts, hops } of earlier) {
    if (ts <= candidate.now - pairWindowMs || isPersons(hops)) break;
    countBySender.set(sender, (countBySender.get(sender) ?? 0) + 1);
  }
  const own = 1 + (countBySender.get(candidate.sender) ?? 0);
  countBySender.delete(candidate.sender);
  const theirs = Math.max(0, ...countBySender.values());
  const exchanged = candidate.isDirect ? own + theirs : 2 * Math.min(own, theirs);
  return exchanged > pairPosts ? 'rate' : null;
}
