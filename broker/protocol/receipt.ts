/**
 * The known states of a message in transit: stored, delivered, read, and what an agent's runner observed
 * (specification/receipts.md).
 */
import { z } from 'zod';
import { MessageId, Timestamp } from './ids.ts';
import { Message } from './message.ts';
import { DetailedRefusal } from './model-refusal.ts';
import { receiptStates } from './receipt-states.ts';
import { ScopeName } from './scope-name.ts';

export const ReceiptState = z.enum(receiptStates).meta({ id: 'ReceiptState' });
export type ReceiptState = z.infer<typeof ReceiptState>;

/** The states that a recipient's runner may report. */
export const Evidence = z.enum(['accepted', 'in_context', 'answered']);
export type Evidence = z.infer<typeof Evidence>;

export const EvidenceReport = z.object({ state: Evidence, at: Timestamp }).meta({ id: 'EvidenceReport' });
export type EvidenceReport = z.infer<typeof EvidenceReport>;

export const Receipt = z
  .object({
    member: z.string(),
    state: ReceiptState,
    at: Timestamp.nullable(),
    /** Why it has come no further: the model of this member's agent refuses. Absent otherwise. */
    model: DetailedRefusal.optional(),
  })
  .meta({ id: 'Receipt' });
export type Receipt = z.infer<typeof Receipt>;

export const Receipts = z.object({ receipts: z.array(Receipt) }).meta({ id: 'Receipts' });
export type Receipts = z.infer<typeof Receipts>;

/**
 * Direct messages, mentions, and objective notices for the caller about which its runner has reported nothing
 * yet, oldest first: the newest 200; `more` counts the older ones
 * (specification/receipts.md#waiting-messages).
 */
export const Waiting = z
  .object({ messages: z.array(Message), more: z.int().nonnegative() })
  .meta({ id: 'Waiting' });
export type Waiting = z.infer<typeof Waiting>;

export const MessageParams = z.object({ id: MessageId });

/** Everything in the scope up to this message was read. */
export const ReadReport = z.object({ scope: ScopeName, upTo: MessageId }).meta({ id: 'ReadReport' });
export type ReadReport = z.infer<typeof ReadReport>;

/** The messages of the scope from this one on count as unread again. */
export const UnreadReport = z.object({ scope: ScopeName, from: MessageId }).meta({ id: 'UnreadReport' });
export type UnreadReport = z.infer<typeof UnreadReport>;

export const UnreadQuery = z.object({ scope: ScopeName });
export type UnreadQuery = z.infer<typeof UnreadQuery>;

/** The positions of the unread messages of a scope. */
export const UnreadMarks = z
  .object({
    /** The oldest message from somebody else; null if all are read. */
    firstId: z.string().nullable(),
    /** The oldest 100 that mention the caller, oldest first. */
    mentionIds: z.array(z.string()),
  })
  .meta({ id: 'UnreadMarks' });
export type UnreadMarks = z.infer<typeof UnreadMarks>;

/** Messages of others after the read position; counting stops at 10,000. */
export const UnreadScope = z
  .object({
    scope: z.string(),
    count: z.int().nonnegative(),
    mentions: z.int().nonnegative(),
    lastReadId: z.string().nullable(),
  })
  .meta({ id: 'UnreadScope' });
export type UnreadScope = z.infer<typeof UnreadScope>;

export const Unread = z
  .object({
    scopes: z.array(UnreadScope),
    /**
     * The newest message that the counts include (ADR 0014): a streamed message is counted if it is newer.
     */
    newestId: z.string().nullable(),
    /** There are more conversations with something new than the reply has. */
    more: z.literal(true).optional(),
  })
  .meta({ id: 'Unread' });
export type Unread = z.infer<typeof Unread>;
