/**
 * The end of a connection that was refused: what was said, a half-close, and then reading without looking, so
 * that the other side gets the sentence instead of a reset (specification/api.md#connections).
 */
import type { Duplex } from 'node:stream';
import { limits } from '#protocol/limits.ts';

export interface EndTimes {
  /** How long the other side may be silent. */
  silentEndMs: number;
  /** How long it may go on sending. */
  lingerMs: number;
  /** How much it may go on sending, bytes. */
  lingerBytes: number;
}

const ending = new WeakSet<Duplex>();

export const isEnding = (socket: Duplex): boolean => ending.has(socket);

/** Sends `text` and half-closes; destroys the connection when the other side closes it, or is too long about it. */
export function endPolitely(
  socket: Duplex,
  text: string,
  { silentEndMs, lingerMs, lingerBytes }: EndTimes = limits.connections,
): void {
  ending.add(socket);
  const destroy = () => void socket.destroy();
  const silence = setTimeout(destroy, silentEndMs);
  const deadline = setTimeout(destroy, lingerMs);
  let discarded = 0;
  socket.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > lingerBytes) destroy();
    else silence.refresh();
  });
  socket.on('error', () => undefined);
  socket.once('close', () => {
    clearTimeout(silence);
    clearTimeout(deadline);
  });
  socket.end(text);
  socket.resume();
}
