import { describe, expect, it } from 'vitest';
import { hasAtMost, imageSize } from './image-size.rules.ts';

type Part = string | number | readonly number[];

/** Text is one byte per character. */
const bytesOf = (...parts: Part[]): Uint8Array =>
  Uint8Array.from(
    parts.flatMap((part) =>
      typeof part === 'string'
        ? [...part].map((one) => one.charCodeAt(0))
        : typeof part === 'number'
          ? [part]
          : part,
    ),
  );
const be16 = (n: number) => [n >>> 8, n & 255];
const be32 = (n: number) => [...be16(n >>> 16), ...be16(n & 0xffff)];
const le16 = (n: number) => be16(n).reverse();
const le24 = (n: number) => [...le16(n & 0xffff), n >>> 16];
const le32 = (n: number) => be32(n).reverse();

const png = (width: number, height: number) =>
  bytesOf('\x89PNG\r\n\x1a\n', be32(13), 'IHDR', be32(width), be32(height), [1, 0, 0, 0, 0]);

const segment = (marker: number, ...parts: Part[]): number[] => {
  const data = [...bytesOf(...parts)];
  return [0xff, marker, ...be16(data.length + 2), ...data];
};
const frame = (marker: number) => segment(marker, 8, be16(300), be16(400), 3);
const jpeg = (...parts: Part[]) => bytesOf([0xff, 0xd8], ...parts);
const exif = segment(0xe1, 'Exif', frame(0xc0));

const gif = (version: string, ...rest: Part[]) => bytesOf(version, le16(400), le16(300), ...rest);
const picture = (left: number, top: number, width: number, height: number, flags = 0) =>
  [0x2c, le16(left), le16(top), le16(width), le16(height), flags].flat();
const noTable = [0, 0, 0];
/** The data of a picture: its code size, one block, and the end. */
const data = [2, 2, 0x4c, 0x01, 0];
const comment = [0x21, 0xfe, 3, ...bytesOf('a,;'), 0];

const webp = (kind: string, ...rest: Part[]) => bytesOf('RIFF', le32(100), 'WEBP', kind, le32(90), ...rest);
const key = [0, 0, 0, 0x9d, 0x01, 0x2a];

describe('the size of an image in its file', () => {
  it.each([
    ['a PNG', png(400, 300)],
    ['a JPEG', jpeg(frame(0xc0))],
    ['a progressive JPEG', jpeg(frame(0xc2))],
    ['a JPEG whose metadata has a thumbnail', jpeg(exif, segment(0xdb, 1, 2), segment(0xc4, 3), frame(0xc1))],
    ['a JPEG with filling bytes and a marker without a length', jpeg([0xff, 0x01, 0xff, 0xff], frame(0xc0))],
    ['a GIF of 1987', gif('GIF87a', noTable, picture(0, 0, 400, 300), data, 0x3b)],
    ['a GIF with comments', gif('GIF89a', noTable, comment, picture(9, 9, 3, 3), data, comment, 0x3b)],
    [
      'a GIF with color tables',
      gif(
        'GIF89a',
        [0x80, 0, 0],
        Array(6).fill(0x2c),
        picture(0, 0, 1, 1, 0x81),
        Array(12).fill(0x2c),
        data,
        0x3b,
      ),
    ],
    ['a GIF without an end', gif('GIF89a', noTable, picture(0, 0, 400, 300), data)],
    ['a lossy WebP', webp('VP8 ', key, le16(400), le16(300))],
    ['a lossy WebP with a scale', webp('VP8 ', key, le16(400 | 0x4000), le16(300 | 0xc000))],
    ['a lossless WebP', webp('VP8L', 0x2f, le32(399 | (299 << 14) | (1 << 28)))],
    ['an extended WebP', webp('VP8X', [0x10, 0, 0, 0], le24(399), le24(299))],
  ])('is known for %s', (_case, bytes) => {
    expect(imageSize(bytes)).toEqual({ width: 400, height: 300 });
  });

  it.each([0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf])(
    'is known for a JPEG with the frame %i',
    (marker) => {
      expect(imageSize(jpeg(frame(marker)))).toEqual({ width: 400, height: 300 });
    },
  );

  it.each([0xc4, 0xc8, 0xcc])('is not read from the marker %i, which begins no frame', (marker) => {
    const other = segment(marker, 8, be16(1), be16(1), 3);
    expect(imageSize(jpeg(other, frame(0xc0)))).toEqual({ width: 400, height: 300 });
  });

  it('covers the largest sizes', () => {
    expect(imageSize(png(0x7fffffff, 0x7fffffff))).toEqual({ width: 0x7fffffff, height: 0x7fffffff });
    expect(imageSize(webp('VP8X', [0, 0, 0, 0], le24(0xffffff), le24(0xffffff)))).toEqual({
      width: 0x1000000,
      height: 0x1000000,
    });
    expect(imageSize(webp('VP8L', 0x2f, [0xff, 0xff, 0xff, 0x0f]))).toEqual({
      width: 16_384,
      height: 16_384,
    });
  });

  it('covers pictures of a GIF that are larger than its screen', () => {
    const large = picture(100, 200, 30_000, 20_000);
    const bytes = gif('GIF89a', noTable, picture(0, 0, 1, 1), data, large, data, 0x3b);
    expect(imageSize(bytes)).toEqual({ width: 30_100, height: 20_200 });
  });

  it('is known at any place of a larger buffer', () => {
    const around = new Uint8Array([9, 9, 9, ...png(400, 300)]);
    expect(imageSize(around.subarray(3))).toEqual({ width: 400, height: 300 });
  });

  it.each([
    ['no bytes', bytesOf()],
    ['text', bytesOf('not a picture')],
    ['an AVIF', bytesOf(be32(28), 'ftypavif', be32(0), 'avifmif1miaf')],
    ['a BMP', bytesOf('BM', Array(60).fill(1))],
    ['a PNG of no width', png(0, 300)],
    [
      'a PNG that does not begin with its header',
      bytesOf('\x89PNG\r\n\x1a\n', be32(13), 'tEXt', Array(20).fill(1)),
    ],
    ['a JPEG whose height comes later', jpeg(segment(0xc0, 8, be16(0), be16(400), 3))],
    ['a JPEG whose pixels come first', jpeg(segment(0xda, 1), frame(0xc0))],
    ['a JPEG that ends first', jpeg([0xff, 0xd9], frame(0xc0))],
    ['a JPEG with other bytes between its parts', jpeg([0xff, 0xe0, 0, 2, 7], frame(0xc0))],
    ['a JPEG with a part of no length', jpeg([0xff, 0xe0, 0, 0], frame(0xc0))],
    ['a GIF with an unknown part', gif('GIF89a', noTable, 0x55, picture(0, 0, 1, 1), data, 0x3b)],
    ['a lossy WebP without its start code', webp('VP8 ', [0, 0, 0, 1, 2, 3], le16(400), le16(300))],
    ['a lossless WebP without its signature', webp('VP8L', 0x2e, le32(1))],
    ['a WebP of another kind', webp('ALPH', Array(20).fill(1))],
  ])('is unknown for %s', (_case, bytes) => {
    expect(imageSize(bytes)).toBeNull();
  });

  it.each([
    ['PNG', png(400, 300), 24],
    ['JPEG', jpeg(exif, frame(0xc0)), jpeg(exif, frame(0xc0)).length - 1],
    ['GIF', gif('GIF89a', noTable, picture(0, 0, 1, 1), data), 27],
    ['WebP', webp('VP8X', [0, 0, 0, 0], le24(399), le24(299)), 30],
  ])('is unknown for a %s that is cut before it', (_case, bytes, needed) => {
    for (let length = 0; length < needed; length++) expect(imageSize(bytes.subarray(0, length))).toBeNull();
  });
});

it('an image has at most so many megapixels', () => {
  expect(hasAtMost({ width: 4000, height: 4000 }, 16)).toBe(true);
  expect(hasAtMost({ width: 4001, height: 4000 }, 16)).toBe(false);
  expect(hasAtMost({ width: 0x7fffffff, height: 0x7fffffff }, 40)).toBe(false);
});
