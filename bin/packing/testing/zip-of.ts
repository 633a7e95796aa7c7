/** Writes zip archives as common programs do: what gets smaller is deflated. */
import { crc32, deflateRawSync } from 'node:zlib';

export function zipOf(files: Readonly<Record<string, string>>, comment = ''): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [path, text] of Object.entries(files)) {
    const name = Buffer.from(path);
    const content = Buffer.from(text);
    const deflated = deflateRawSync(content);
    const isSmaller = deflated.length < content.length;
    const packed = isSmaller ? deflated : content;
    // The fields that both kinds of headers have: flags, method, time, date, checksum, sizes, and lengths.
    const common = Buffer.alloc(24);
    common.writeUInt16LE(isSmaller ? 8 : 0, 2);
    common.writeUInt32LE(crc32(content), 8);
    common.writeUInt32LE(packed.length, 12);
    common.writeUInt32LE(content.length, 16);
    common.writeUInt16LE(name.length, 20);
    const fileHeader = Buffer.concat([Buffer.from('PK\x03\x04\x14\x00', 'latin1'), common]);
    const entryEnd = Buffer.alloc(14);
    entryEnd.writeUInt32LE(at, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00\x14\x00', 'latin1'), common, entryEnd, name);
    parts.push(fileHeader, name, packed);
    at += fileHeader.length + name.length + packed.length;
  }
  const listing = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(Object.keys(files).length, 8);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(listing.length, 12);
  end.writeUInt32LE(at, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...parts, listing, end, Buffer.from(comment)]);
}
