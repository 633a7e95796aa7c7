/**
 * Frames of the live streams (specification/streams.md). A frame is an SSE event: `id`, `event`, and `data`
 * in one line.
 */
import { z } from 'zod';
import { Timestamp } from './ids.ts';
import { ReceiptState } from './receipt.ts';

/**
 * An opaque position in a stream. It names the store that issued it, so that another store recognizes that it
 * is not its own.
 */
export const Cursor = z.string().regex(/^[0-9a-z]{8}-(?:0|[1-9]\d{0,15})$/);

export const ReadyFrame = z.object({ cursor: z.string() });
export type ReadyFrame = z.infer<typeof ReadyFrame>;

export const SubscribeQuery = z.object({
  name: z.string().min(1),
  lastEventId: z.string().max(256).optional(),
  /** `all` adds frames without an id: receipt, receipts, presence, and change (specification/streams.md#news). */
  events: z.enum(['messages', 'all']).default('messages'),
});

/**
 * `event: receipt`, to the sender of the message. `read` means up to this message of its scope, and also goes
 * to the reader.
 */
export const ReceiptFrame = z.object({
  messageId: z.string(),
  member: z.string(),
  state: ReceiptState,
  at: Timestamp.nullable(),
});
export type ReceiptFrame = z.infer<typeof ReceiptFrame>;

/**
 * `event: receipts`: so many more members have this state. `members` names them if they are few. At most once a
 * second per message and state.
 */
export const ReceiptsFrame = z.object({
  messageId: z.string(),
  state: ReceiptState,
  count: z.int().positive(),
  members: z.array(z.string()).optional(),
});
export type ReceiptsFrame = z.infer<typeof ReceiptsFrame>;

/** `event: change`: a resource that the caller may read has changed. `id` is its name, slug, path, or id. */
export const ChangeFrame = z.object({
  resource: z.enum(['member', 'channel', 'team', 'enrollment', 'file', 'objective', 'held']),
  id: z.string(),
});
export type ChangeFrame = z.infer<typeof ChangeFrame>;
