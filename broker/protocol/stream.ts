/** Frames of the live streams (specification "Events"; D6). A frame is an SSE event: `id`, `event`, `data` in one line. */
import { z } from 'zod';

/** An opaque place in a stream. It names the store that issued it, so that another store can tell it is not its own. */
export const Cursor = z.string().regex(/^[0-9a-z]{8}-(?:0|[1-9]\d{0,15})$/);

export const ReadyFrame = z.object({ cursor: z.string() });
export type ReadyFrame = z.infer<typeof ReadyFrame>;

export const SubscribeQuery = z.object({
  name: z.string().min(1),
  lastEventId: z.string().max(256).optional(),
});
