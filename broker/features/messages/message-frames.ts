/**
 * Messages as stream frames, and the cursors that they carry. A cursor names the store, so that another store
 * recognizes that it is not its own (specification/streams.md#resuming).
 */
import { Cursor, type ReadyFrame } from '#protocol/stream.ts';
import type { Entry } from '../../http/live-stream.ts';
import { sseFrame } from '../../http/sse.ts';

export interface MessageFrames {
  message(json: string, seq: number): Buffer;
  /** Returns an entry of the live streams, whose frame is made when the first stream gets it. */
  entry(json: string, seq: number): Entry;
  /** The first frame of a stream that is complete from `seq` on. */
  ready(seq: number): Buffer;
  /** The first frame of a stream whose cursor cannot be honored: it is complete only from `seq` on. */
  reset(seq: number): Buffer;
  /**
   * Returns the position of a cursor; null if this store cannot honor it. `newest` is the newest position.
   */
  positionOf(cursor: string, newest: number): number | null;
}

export function createMessageFrames(storeId: string): MessageFrames {
  const cursorAt = (seq: number): string => `${storeId}-${seq}`;
  const message = (json: string, seq: number): Buffer => sseFrame('message', json, cursorAt(seq));
  const standing = (seq: number): string => JSON.stringify({ cursor: cursorAt(seq) } satisfies ReadyFrame);
  return {
    message,
    entry(json, seq) {
      let frame: Buffer | undefined;
      return {
        position: seq,
        get frame() {
          frame ??= message(json, seq);
          return frame;
        },
      };
    },
    ready: (seq) => sseFrame('ready', standing(seq)),
    reset: (seq) => sseFrame('reset', standing(seq)),
    positionOf(cursor, newest) {
      if (!Cursor.safeParse(cursor).success || !cursor.startsWith(`${storeId}-`)) return null;
      const seq = Number(cursor.slice(storeId.length + 1));
      return seq <= newest ? seq : null;
    },
  };
}
