/** The frames of an activity stream that are not rows, and the rows' frames cut from a page (D6). */
import type { ReadyFrame } from '#protocol/stream.ts';
import type { Entry } from '../../http/live-stream.ts';
import { sseFrame } from '../../http/sse.ts';
import type { FramesPage } from './activity-pages.ts';

const standing = (id: number): string => JSON.stringify({ cursor: String(id) } satisfies ReadyFrame);

/** The stream is complete from this row on. */
export const readyFrame = (id: number): Buffer => sseFrame('ready', standing(id));
/** The cursor cannot be honoured; the stream is complete from this row on only. */
export const resetFrame = (id: number): Buffer => sseFrame('reset', standing(id));

/** Views of the page's bytes: nothing is copied. */
export function entriesOf({ bytes, frames }: FramesPage): Entry[] {
  let start = 0;
  return frames.map(({ id, end }) => {
    const frame = Buffer.from(bytes, start, end - start);
    start = end;
    return { position: id, frame };
  });
}
