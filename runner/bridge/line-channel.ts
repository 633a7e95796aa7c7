/**
 * JSON lines over a socket, in both directions, none longer than the other side accepts. Split on `\n` only,
 * because JSON text may contain U+2028.
 */
import type { Socket } from 'node:net';

/** Of one line, in bytes; a file of 100 MiB is shortened long before (see shorten-result.ts). */
export const maxLineBytes = 4 * 1024 * 1024;

export interface LineChannel {
  /**
   * Returns false if the other side has closed. @throws RangeError if the line is too long; then nothing is
   * sent.
   */
  send(value: object): boolean;
  end(): void;
}

/**
 * Destroys the socket if a line is too long or is not a JSON object, because then the other side is not a
 * bridge or a runner.
 */
export function createLineChannel(
  socket: Socket,
  onValue: (value: Record<string, unknown>) => void,
): LineChannel {
  let parts: Buffer[] = [];
  let size = 0;

  function handleLine(line: string): void {
    if (line.trim() === '') return;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      value = null;
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) socket.destroy();
    else onValue(value as Record<string, unknown>);
  }

  socket.on('data', (chunk: Buffer) => {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      parts.push(chunk.subarray(from, at));
      from = at + 1;
      const line = Buffer.concat(parts).toString('utf8');
      parts = [];
      size = 0;
      handleLine(line);
      if (socket.destroyed) return;
    }
    const rest = chunk.subarray(from);
    parts.push(rest);
    size += rest.length;
    if (size > maxLineBytes) socket.destroy();
  });

  return {
    send(value) {
      const line = Buffer.from(`${JSON.stringify(value)}\n`);
      if (line.length > maxLineBytes) throw new RangeError(`a line of ${line.length} bytes is too long`);
      if (socket.destroyed || !socket.writable) return false;
      socket.write(line);
      return true;
    },
    end: () => void socket.end(),
  };
}
