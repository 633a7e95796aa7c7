/** The pages that a commit changed: how they travel, and how a copy of the store gets them. */
import { ftruncateSync, writeSync } from 'node:fs';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

export interface PageCommit {
  /** The size of a page. */
  pageBytes: number;
  /** Pages of the store after the commit. */
  pages: number;
  /** The content of each changed page by its number; the first one is 1. */
  changed: ReadonlyMap<number, Uint8Array>;
}

/** `pageBytes`, `pages`, and the number of changed pages, as big-endian numbers of 32 bits. */
const headBytes = 12;
const numberBytes = 4;
/** The fastest: SQLite's pages shrink to a quarter already. */
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** Returns the head, the numbers of the changed pages, and the pages, compressed with Zstandard. */
export function packed({ pageBytes, pages, changed }: PageCommit): Buffer {
  const head = Buffer.alloc(headBytes + numberBytes * changed.size);
  head.writeUInt32BE(pageBytes, 0);
  head.writeUInt32BE(pages, 4);
  head.writeUInt32BE(changed.size, 8);
  let at = headBytes;
  for (const page of changed.keys()) at = head.writeUInt32BE(page, at);
  return zstdCompressSync(Buffer.concat([head, ...changed.values()]), compression);
}

/** Returns what was packed. @throws Error if the bytes are no packed commit. */
export function unpacked(body: Uint8Array): PageCommit {
  const whole = zstdDecompressSync(body);
  if (whole.length < headBytes) throw new Error('a commit has no head');
  const pageBytes = whole.readUInt32BE(0);
  const pages = whole.readUInt32BE(4);
  const count = whole.readUInt32BE(8);
  const begin = headBytes + numberBytes * count;
  if (whole.length !== begin + count * pageBytes)
    throw new Error(`a commit of ${count} pages has ${whole.length} bytes`);
  const changed = new Map<number, Uint8Array>();
  for (let index = 0; index < count; index += 1) {
    const page = whole.readUInt32BE(headBytes + numberBytes * index);
    const at = begin + index * pageBytes;
    changed.set(page, whole.subarray(at, at + pageBytes));
  }
  return { pageBytes, pages, changed };
}

/** A single page, as the base of a log keeps it. */
export const packedPage = (bytes: Uint8Array): Buffer => zstdCompressSync(bytes, compression);
export const unpackedPage = (body: Uint8Array): Buffer => zstdDecompressSync(body);

/** Writes the commit into a copy that has the commits before it. Doing so again changes nothing. */
export function applyTo(fd: number, { pageBytes, pages, changed }: PageCommit): void {
  for (const [page, bytes] of changed) {
    const at = (page - 1) * pageBytes;
    for (let done = 0; done < pageBytes; ) done += writeSync(fd, bytes, done, pageBytes - done, at + done);
  }
  ftruncateSync(fd, pages * pageBytes);
}
