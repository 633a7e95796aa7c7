/** Posts of agents that wait for a person (specification/messages.md#held-posts). */
import { z } from 'zod';
import { MessageId, Timestamp } from './ids.ts';
import { HoldReason, Message } from './message.ts';

/**
 * `scope`: the conversation as its writer names it. `at`: when it was held. `hops`: as in a message. `excerpt`:
 * the first 1,000 characters of the body.
 */
export const HeldPost = z
  .object({
    id: MessageId,
    at: Timestamp,
    from: z.string(),
    to: z.string().nullable(),
    scope: z.string(),
    title: z.string().nullable(),
    excerpt: z.string(),
    attachments: z.array(z.string()),
    hops: z.int().nonnegative(),
    reason: HoldReason,
  })
  .meta({ id: 'HeldPost' });
export type HeldPost = z.infer<typeof HeldPost>;

/** Oldest first. */
export const HeldList = z.object({ held: z.array(HeldPost) }).meta({ id: 'HeldList' });
export type HeldList = z.infer<typeof HeldList>;

/** The message as it was accepted, with an id and a time of its own. */
export const ReleasedPost = z.object({ message: Message }).meta({ id: 'ReleasedPost' });
export type ReleasedPost = z.infer<typeof ReleasedPost>;

export const HeldParams = z.object({ id: z.string() });
