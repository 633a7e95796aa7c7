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

/** What all copies of a gateway may hold together. */
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

/** What is kept of an answer in any case: its beginning, and its last events, which say how it ended. */
const minAnswerBytes = 64 * 1024;

/** `isAnswer`: of a stream that is cut, the end is kept as well. */
export function createBodyCopy(limit: number, budget: CopyBudget, isAnswer = false): BodyCopy {
  const least = isAnswer ? minAnswerBytes : 0;
  let chunks: Buffer[] = [];
  let end: Buffer[] = [];
  let kept = 0;
  let bytes = 0;

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
      if (fits < chunk.length && isAnswer) addToEnd(chunk.subarray(fits));
      if (fits === 0) return;
      chunks.push(chunk.subarray(0, fits));
      kept += fits;
      budget.left -= fits;
    },
    async readText(encoding) {
      const [first, last] = [chunks, end];
      [chunks, end] = [[], []];
      budget.left += kept;
      const isCut = bytes > kept;
      const applied = encodingsIn(encoding);
      if (applied.length === 0) return { text: textOf(first) + eventsIn(textOf(last)), isCut };
      const decoded = await decode(Buffer.concat(first), applied, limit);
      return { text: decoded.body.toString('utf8'), isCut: isCut || decoded.isCut };
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
