import fc from 'fast-check';
import { expect, it } from 'vitest';
import { imageTypeOf, textOf, wholeCharacters } from './file-content.rules.ts';

it('text is valid UTF-8 without NUL, whatever else it contains', () => {
  expect(textOf(Buffer.from('export const ä = 1;\n'))).toBe('export const ä = 1;\n');
  expect(textOf(Buffer.from('a\0b'))).toBeNull();
  expect(textOf(Buffer.from([0xc3]))).toBeNull();
});

it('parts of a text that are read one after the other are the whole text', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
      fc.integer({ min: 4, max: 9 }),
      (text, limit) => {
        const bytes = Buffer.from(text.toWellFormed());
        let read = '';
        for (let offset = 0; offset < bytes.length; ) {
          const part = bytes.subarray(offset, offset + limit);
          const { from, to } = wholeCharacters(part, offset === 0, offset + part.length >= bytes.length);
          expect(from).toBe(0);
          read += textOf(part.subarray(from, to));
          offset += to;
        }
        expect(read).toBe(text.toWellFormed());
      },
    ),
  );
});

it('images are recognized by their first bytes', () => {
  expect(imageTypeOf(Buffer.from('\x89PNG\r\n\x1a\n...', 'latin1'))).toBe('image/png');
  expect(imageTypeOf(Buffer.from('RIFF....WEBPVP8 ', 'latin1'))).toBe('image/webp');
  expect(imageTypeOf(Buffer.from('hello'))).toBeNull();
});
