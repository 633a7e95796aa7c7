/**
 * Reads how many pixels an image has without decoding it: a file of some kilobytes may be an image that takes
 * gigabytes of memory. Pure. Knows PNG, JPEG, GIF, and WebP. A doubtful image has no known size.
 */

/** In pixels. */
export interface ImageSize {
  width: number;
  height: number;
}

type Bytes = Uint8Array<ArrayBufferLike>;

const viewOf = (bytes: Bytes): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const textAt = (bytes: Bytes, at: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(at, at + length));

/** https://www.w3.org/TR/png-3/#11IHDR */
function pngSize(bytes: Bytes): ImageSize | null {
  if (textAt(bytes, 12, 4) !== 'IHDR') return null;
  const view = viewOf(bytes);
  return { width: view.getUint32(16), height: view.getUint32(20) };
}

/** Whether the marker begins a frame. C4, C8, and CC, which are among them, do not. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
/** A marker without a length after it. */
const isAlone = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);

/** https://www.w3.org/Graphics/JPEG/itu-t81.pdf, B.1.1 and B.2.2 */
function jpegSize(bytes: Bytes): ImageSize | null {
  const view = viewOf(bytes);
  let at = 2;
  for (;;) {
    if (view.getUint8(at) !== 0xff) return null;
    // Any number of FF may come before a marker.
    while (view.getUint8(at) === 0xff) at += 1;
    const marker = view.getUint8(at);
    at += 1;
    if (isAlone(marker)) continue;
    if (isFrame(marker)) return { width: view.getUint16(at + 5), height: view.getUint16(at + 3) };
    // The pixels begin, or the image ends, or this is no marker.
    if (marker === 0xda || marker < 0xc0 || marker === 0xd8 || marker === 0xd9) return null;
    const length = view.getUint16(at);
    if (length < 2) return null;
    at += length;
  }
}

/** Returns the number of bytes of the color table that the flags announce. */
const colorTableBytes = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** Returns where the blocks of data end that begin at `at`. */
function afterBlocks(view: DataView, at: number): number {
  for (let next = at; ; ) {
    const length = view.getUint8(next);
    next += 1 + length;
    if (length === 0) return next;
  }
}

/**
 * Browsers enlarge the image to its first picture, so the size is that of the screen and all pictures.
 * https://www.w3.org/Graphics/GIF/spec-gif89a.txt
 */
function gifSize(bytes: Bytes): ImageSize | null {
  const view = viewOf(bytes);
  let width = view.getUint16(6, true);
  let height = view.getUint16(8, true);
  let pictures = 0;
  let at = 13 + colorTableBytes(view.getUint8(10));
  while (at < bytes.length && view.getUint8(at) !== 0x3b) {
    const kind = view.getUint8(at);
    if (kind === 0x21) {
      at = afterBlocks(view, at + 2);
    } else if (kind === 0x2c) {
      pictures += 1;
      width = Math.max(width, view.getUint16(at + 1, true) + view.getUint16(at + 5, true));
      height = Math.max(height, view.getUint16(at + 3, true) + view.getUint16(at + 7, true));
      at = afterBlocks(view, at + 11 + colorTableBytes(view.getUint8(at + 9)));
    } else return null;
  }
  return pictures === 0 ? null : { width, height };
}

/** https://developers.google.com/speed/webp/docs/riff_container */
function webpSize(bytes: Bytes): ImageSize | null {
  const view = viewOf(bytes);
  const chunk = textAt(bytes, 12, 4);
  if (chunk === 'VP8 ') {
    if (textAt(bytes, 23, 3) !== '\x9d\x01\x2a') return null;
    // The upper two bits are a scale that decoders ignore.
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  }
  if (chunk === 'VP8L') {
    if (view.getUint8(20) !== 0x2f) return null;
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (chunk !== 'VP8X') return null;
  const uint24 = (at: number): number => view.getUint16(at, true) + view.getUint8(at + 2) * 0x10000;
  return { width: uint24(24) + 1, height: uint24(27) + 1 };
}

function readerOf(bytes: Bytes): ((bytes: Bytes) => ImageSize | null) | null {
  if (textAt(bytes, 0, 8) === '\x89PNG\r\n\x1a\n') return pngSize;
  if (textAt(bytes, 0, 3) === '\xff\xd8\xff') return jpegSize;
  if (/^GIF8[79]a/.test(textAt(bytes, 0, 6))) return gifSize;
  return textAt(bytes, 0, 4) === 'RIFF' && textAt(bytes, 8, 4) === 'WEBP' ? webpSize : null;
}

/** `bytes`: the whole file. Returns null for another format, and for a file that is cut or damaged. */
export function imageSize(bytes: Bytes): ImageSize | null {
  try {
    const size = readerOf(bytes)?.(bytes) ?? null;
    return size === null || size.width === 0 || size.height === 0 ? null : size;
  } catch (error) {
    // The file ends before its size.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Whether the image has at most so many million pixels. */
export const hasAtMost = ({ width, height }: ImageSize, megapixels: number): boolean =>
  width * height <= megapixels * 1_000_000;
