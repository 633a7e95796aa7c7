/** A bounded copy of the bytes that pass, and their decoded text. */
import type { Transform } from 'node:stream';
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

export function createBodyCopy(limit: number, budget: CopyBudget): BodyCopy {
  let chunks: Buffer[] = [];
  let kept = 0;
  let bytes = 0;
  return {
    get bytes() {
      return bytes;
    },
    get isCut() {
      return bytes > kept;
    },
    add(chunk) {
      // Once something was left out, so is the rest: a copy has no holes.
      const fits = bytes > kept ? 0 : Math.min(chunk.length, limit - kept, budget.left);
      bytes += chunk.length;
      if (fits === 0) return;
      chunks.push(chunk.subarray(0, fits));
      kept += fits;
      budget.left -= fits;
    },
    async readText(encoding) {
      const whole = Buffer.concat(chunks);
      chunks = [];
      budget.left += kept;
      const { body, isCut } = await decode(whole, encoding, limit);
      return { text: body.toString('utf8'), isCut: isCut || bytes > whole.length };
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

async function decode(
  body: Buffer,
  encoding: string | undefined,
  limit: number,
): Promise<{ body: Buffer; isCut: boolean }> {
  const names = (encoding ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  const applied = names.filter((name) => name !== '' && name !== 'identity').reverse();
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
