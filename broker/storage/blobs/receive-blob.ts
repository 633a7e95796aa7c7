/**
 * Writes a stream of bytes to disk. Memory holds one chunk of it, and the hash is computed on the way
 * (specification/files.md#writing).
 */
import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { refusal } from '#protocol/errors.ts';
import { Gathering } from '../../runtime/gathering.ts';
import { giveBack } from '../../runtime/give-back.ts';

export interface Content {
  /** SHA-256 in hex. */
  hash: string;
  /** Bytes. */
  size: number;
}

export interface ReceiveOptions {
  /** Its chunks are used up: their memory is returned as they are written. */
  source: Readable;
  /** The file to create; nothing may exist there. */
  path: string;
  maxBytes: number;
  /** How long the sender may send nothing. */
  silenceMs: number;
}

/**
 * Resolves when every byte is on disk, synced. If it fails, the source is left open and drained, so that its
 * connection stays usable.
 * @throws BrokerError payload_too_large; bad_request if the sender is interrupted or falls silent. System
 *   errors as they are.
 */
export async function receiveBlob({ source, path, maxBytes, silenceMs }: ReceiveOptions): Promise<Content> {
  const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
    source.resume();
    throw error;
  });
  try {
    const content = await copy(source, file, maxBytes, silenceMs);
    await file.sync();
    return content;
  } finally {
    await file.close();
  }
}

/** Bytes that may wait while earlier ones are being written; then the sender waits. */
const waitingBytes = 512 * 1024;

function copy(source: Readable, file: FileHandle, maxBytes: number, silenceMs: number): Promise<Content> {
  const hash = createHash('sha256');
  let size = 0;
  const waiting = new Gathering();
  let written = 0;
  let writing: Promise<void> | null = null;
  return new Promise((resolve, reject) => {
    const silence = setTimeout(() => fail(refusal('body_too_slow')), silenceMs);
    function stop(): void {
      clearTimeout(silence);
      source.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken);
    }
    async function fail(error: unknown): Promise<void> {
      stop();
      waiting.take();
      source.on('error', () => undefined);
      source.resume();
      // The file is closed next, so no write may be in progress then.
      await writing?.catch(() => undefined);
      reject(error);
    }
    async function writeOut(): Promise<void> {
      while (waiting.length > 0) {
        const chunks = waiting.take();
        written += await writeAll(file, chunks);
        for (const chunk of chunks) giveBack(chunk);
        silence.refresh();
        source.resume();
      }
      writing = null;
    }
    function onData(chunk: Buffer): void {
      silence.refresh();
      size += chunk.length;
      if (size > maxBytes) {
        void fail(refusal('file_too_large', { max: maxBytes }));
        return;
      }
      hash.update(chunk);
      waiting.add(chunk);
      if (writing === null) {
        writing = writeOut();
        writing.catch(fail);
      }
      if (size - written >= waitingBytes) source.pause();
    }
    async function onEnd(): Promise<void> {
      stop();
      try {
        await writing;
        resolve({ hash: hash.digest('hex'), size });
      } catch (error) {
        reject(error);
      }
    }
    function onBroken(): void {
      void fail(refusal('body_interrupted'));
    }
    if (source.destroyed) {
      onBroken();
      return;
    }
    source.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken);
  });
}

/**
 * Returns the number of bytes written, which is all of them. A nearly full disk accepts a part first, and
 * then says why.
 */
async function writeAll(file: FileHandle, chunks: Buffer[]): Promise<number> {
  const all = chunks.reduce((sum, { length }) => sum + length, 0);
  const { bytesWritten } = await file.writev(chunks);
  if (bytesWritten < all) await file.writeFile(Buffer.concat(chunks).subarray(bytesWritten));
  return all;
}
