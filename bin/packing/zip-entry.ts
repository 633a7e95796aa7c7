/** Reads a file of a zip archive, as far as the archives of Node need it: one disk, below 4 GiB, stored or deflated. */
import { inflateRawSync } from 'node:zlib';

const endMark = 0x06054b50;
const entryMark = 0x02014b50;
const fileMark = 0x04034b50;
const endBytes = 22;
const maxCommentBytes = 65_535;

/** Returns the content; null if the archive has no such file. @throws Error if it is not such an archive. */
export function zipEntry(archive: Buffer, path: string): Buffer | null {
  const end = endOf(archive);
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    if (archive.readUInt32LE(at) !== entryMark)
      throw new Error('the directory of the zip archive is damaged');
    const nameBytes = archive.readUInt16LE(at + 28);
    const name = archive.toString('utf8', at + 46, at + 46 + nameBytes);
    if (name === path) return contentOf(archive, at);
    at += 46 + nameBytes + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  return null;
}

/** Returns the position of the end record, which a comment may follow. */
function endOf(archive: Buffer): number {
  const first = Math.max(0, archive.length - endBytes - maxCommentBytes);
  for (let at = archive.length - endBytes; at >= first; at--)
    if (archive.readUInt32LE(at) === endMark) return at;
  throw new Error('the file is not a zip archive');
}

function contentOf(archive: Buffer, entry: number): Buffer {
  const method = archive.readUInt16LE(entry + 10);
  const packedBytes = archive.readUInt32LE(entry + 20);
  const bytes = archive.readUInt32LE(entry + 24);
  const file = archive.readUInt32LE(entry + 42);
  if (archive.readUInt32LE(file) !== fileMark) throw new Error('a file of the zip archive is damaged');
  const start = file + 30 + archive.readUInt16LE(file + 26) + archive.readUInt16LE(file + 28);
  const packed = archive.subarray(start, start + packedBytes);
  if (method !== 0 && method !== 8) throw new Error(`the zip archive uses the unknown method ${method}`);
  const content = method === 0 ? packed : inflateRawSync(packed, { maxOutputLength: bytes });
  if (content.length !== bytes) throw new Error('a file of the zip archive is not complete');
  return content;
}
