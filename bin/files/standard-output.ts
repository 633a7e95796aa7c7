/**
 * A file's bytes on standard output: unchanged if a program reads them, and harmless if a terminal shows
 * them.
 */
import { once } from 'node:events';
import process from 'node:process';
import { harmless } from '../terminal-text.ts';

export function toStandardOutput(
  stream: NodeJS.WritableStream & { isTTY?: boolean } = process.stdout,
): (chunk: Uint8Array) => Promise<void> {
  const decoder = stream.isTTY ? new TextDecoder() : null;
  return async (chunk) => {
    const shown = decoder === null ? chunk : harmless(decoder.decode(chunk, { stream: true }));
    if (!stream.write(shown)) await once(stream, 'drain');
  };
}
