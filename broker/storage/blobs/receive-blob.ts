/** Takes a stream of bytes to disk: memory holds one chunk of it, and the sum is made on the way (D10). */
import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { BrokerError } from '#protocol/errors.ts';

export interface Content {
  /** SHA-256 in hex. */
  hash: string;
  /** Bytes. */
  size: number;
}

export interface ReceiveOptions {
  /** Its chunks are used up: their memory is given back as they are written. */
  source: Readable;
  /** The file to make; nothing may be there. */
  path: string;
  maxBytes: number;
  /** How long the sender may send nothing. */
  silenceMs: number;
}

/**
 * Resolves when every byte is on disk, synced. The source is left open when it fails, flowing into nothing, so that its connection stays usable.
 * @throws BrokerError payload_too_large; bad_request when the sender breaks off or falls silent. System errors as they are.
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

function copy(source: Readable, file: FileHandle, maxBytes: number, silenceMs: number): Promise<Content> {
  const hash = createHash('sha256');
  let size = 0;
  let writing: Promise<void> = Promise.resolve();
  return new Promise((resolve, reject) => {
    const silence = setTimeout(
      () => fail(new BrokerError('bad_request', 'the body did not arrive in time')),
      silenceMs,
    );
    function stop(): void {
      clearTimeout(silence);
      source.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken);
    }
    function fail(error: unknown): void {
      stop();
      source.on('error', () => undefined);
      source.resume();
      // The file is closed next: a write must not be under way then.
      writing.catch(() => undefined).finally(() => reject(error));
    }
    function onData(chunk: Buffer): void {
      silence.refresh();
      size += chunk.length;
      if (size > maxBytes) {
        fail(tooLarge(maxBytes));
        return;
      }
      source.pause();
      writing = file.writeFile(chunk);
      hash.update(chunk);
      writing.then(() => {
        free(chunk);
        silence.refresh();
        source.resume();
      }, fail);
    }
    function onEnd(): void {
      stop();
      resolve({ hash: hash.digest('hex'), size });
    }
    function onBroken(): void {
      fail(new BrokerError('bad_request', 'the body broke off'));
    }
    if (source.destroyed) {
      onBroken();
      return;
    }
    source.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken);
  });
}

/**
 * Gives a chunk's memory back at once. Left to the garbage collector, tens of megabytes pile up before it looks.
 * A chunk that shares its memory is left alone.
 */
function free({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

function tooLarge(maxBytes: number): BrokerError {
  return new BrokerError(
    'payload_too_large',
    `the file is larger than the ${maxBytes} bytes this broker takes`,
  );
}
