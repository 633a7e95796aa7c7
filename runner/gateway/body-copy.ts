/** A bounded copy of the bytes that pass, and their decoded text. */
import type { Transform } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib';

/** The number of bytes that all copies of a gateway may still hold together. */
export interface CopyBudget {
  left: number;
}

export interface BodyCopy {
  add(chunk: Buffer): void;
  /** The number of bytes that passed, including those that were not kept. */
  readonly bytes: number;
  readonly isCut: boolean;
  /**
   * Returns the kept text, and releases its memory. Never rejects: text that cannot be decoded is left out.
   * `encoding` as in Content-Encoding.
   */
  readText(encoding: string | undefined): Promise<{ text: string; isCut: boolean }>;
}

const blockBytes = { least: 4 * 1024, most: 64 * 1024 };

/** The part of an answer that is kept in any case: its beginning, and its last events, which say how it ended. */
const minAnswerBytes = 64 * 1024;

/** Bytes in memory of their own, which `free` returns to the system without waiting for V8 to collect garbage. */
function createBlocks() {
  let blocks: Buffer<ArrayBuffer>[] = [];
  let last = Buffer.alloc(0);
  let used = 0;
  let held = 0;
  return {
    add(bytes: Buffer): void {
      for (let at = 0; at < bytes.length; ) {
        if (used === last.length) {
          const size = Math.min(Math.max(held, bytes.length - at, blockBytes.least), blockBytes.most);
          last = Buffer.allocUnsafeSlow(size);
          blocks.push(last);
          used = 0;
        }
        const copied = bytes.copy(last, used, at);
        at += copied;
        used += copied;
        held += copied;
      }
    },
    /** They are empty after `free`. */
    parts: (): Buffer[] => blocks.map((block) => (block === last ? block.subarray(0, used) : block)),
    free(): void {
      for (const { buffer } of blocks) buffer.transfer(0);
      blocks = [];
      last = Buffer.alloc(0);
      used = 0;
    },
  };
}

/** `isAnswer`: of a stream that is cut, the end is kept as well. */
export function createBodyCopy(limit: number, budget: CopyBudget, isAnswer = false): BodyCopy {
  const least = isAnswer ? minAnswerBytes : 0;
  const first = createBlocks();
  let end: Buffer[] = [];
  let kept = 0;
  let bytes = 0;
  let isRead = false;

  /** Keeps the last chunks, so many that without the first of them it would be less than `least`. */
  function addToEnd(chunk: Buffer): void {
    end.push(chunk);
    let size = end.reduce((sum, { length }) => sum + length, 0);
    while (end.length > 1 && size - (end[0]?.length ?? 0) >= least) size -= end.shift()?.length ?? 0;
  }

  return {
    get bytes() {
      return bytes;
    },
    get isCut() {
      return bytes > kept;
    },
    add(chunk) {
      // Once something was left out, so is the rest: a copy has no holes.
      const room = Math.min(limit - kept, Math.max(budget.left, least - kept));
      const fits = bytes > kept ? 0 : Math.min(chunk.length, Math.max(room, 0));
      bytes += chunk.length;
      // The rest of a request that was answered early.
      if (isRead) return;
      if (fits < chunk.length && isAnswer) addToEnd(chunk.subarray(fits));
      if (fits === 0) return;
      first.add(chunk.subarray(0, fits));
      kept += fits;
      budget.left -= fits;
    },
    async readText(encoding) {
      isRead = true;
      const isCut = bytes > kept;
      const applied = encodingsIn(encoding);
      try {
        if (applied.length === 0) return { text: textOf(first.parts()) + eventsIn(textOf(end)), isCut };
        const decoded = await decode(Buffer.concat(first.parts()), applied, limit);
        return { text: decoded.body.toString('utf8'), isCut: isCut || decoded.isCut };
      } finally {
        first.free();
        end = [];
        budget.left += kept;
      }
    },
  };
}

const decoderByName = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
} as const;
const isDecodable = (name: string): name is keyof typeof decoderByName => Object.hasOwn(decoderByName, name);

/** Returns a decoder for one word of Content-Encoding, in lower case; null if it is not known. */
export const decoderFor = (name: string): Transform | null =>
  isDecodable(name) ? decoderByName[name]() : null;

/** Without one buffer for all of them, which the system's allocator would not return. */
function textOf(chunks: readonly Buffer[]): string {
  const decoder = new StringDecoder('utf8');
  return chunks.map((chunk) => decoder.write(chunk)).join('') + decoder.end();
}

/** Returns the whole events at the end of a stream, after an empty line that ends what was cut. */
function eventsIn(end: string): string {
  const at = /\r?\n\r?\n/.exec(end);
  return at === null ? '' : `\n\n${end.slice(at.index + at[0].length)}`;
}

/** The encodings in Content-Encoding, the one that is undone first in front. */
const encodingsIn = (encoding: string | undefined): string[] =>
  (encoding ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
    .reverse();

async function decode(
  body: Buffer,
  applied: readonly string[],
  limit: number,
): Promise<{ body: Buffer; isCut: boolean }> {
  let decoded = body;
  for (const name of applied.slice(0, 3)) {
    if (!isDecodable(name)) return { body: Buffer.alloc(0), isCut: true };
    const parts: Buffer[] = [];
    let size = 0;
    // Many servers leave out the frame that `deflate` has by its definition.
    const isBare = name === 'deflate' && ((decoded[0] ?? 8) & 15) !== 8;
    const decoder = isBare ? createInflateRaw() : decoderByName[name]();
    decoder.end(decoded);
    try {
      // A few bytes can stand for gigabytes.
      for await (const part of decoder as AsyncIterable<Buffer>) {
        parts.push(part);
        size += part.length;
        if (size > limit) break;
      }
    } catch {
      return { body: Buffer.concat(parts), isCut: true };
    }
    decoded = Buffer.concat(parts).subarray(0, limit);
    if (size > limit) return { body: decoded, isCut: true };
  }
  return { body: decoded, isCut: applied.length > 3 };
}
