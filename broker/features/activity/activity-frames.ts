/**
 * The frames of an activity stream that are not rows, and the frames of rows, taken from a page
 * (specification/streams.md#activity-streams).
 */
import type { ReadyFrame } from '#protocol/stream.ts';
import type { Entry } from '../../http/live-stream.ts';
import { sseFrame } from '../../http/sse.ts';
import type { FramesPage } from './activity-pages.ts';

const standing = (id: number): string => JSON.stringify({ cursor: String(id) } satisfies ReadyFrame);

/** The stream is complete from this row on. */
export const readyFrame = (id: number): Buffer => sseFrame('ready', standing(id));
/** The cursor cannot be honored; the stream is complete only from this row on. */
export const resetFrame = (id: number): Buffer => sseFrame('reset', standing(id));

/** Returns views of the page's bytes; nothing is copied. */
export function entriesOf({ bytes, frames }: FramesPage): Entry[] {
  let start = 0;
  return frames.map(({ id, end }) => {
    const frame = Buffer.from(bytes, start, end - start);
    start = end;
    return { position: id, frame };
  });
}
