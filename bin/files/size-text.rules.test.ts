import { describe, expect, it } from 'vitest';
import { sizeText } from './size-text.rules.ts';

describe('a size', () => {
  it.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1.0 KiB'],
    [1024 ** 2 - 1, '1.0 MiB'],
    [1.5 * 1024 ** 2, '1.5 MiB'],
    [3 * 1024 ** 5, '3072.0 TiB'],
  ])('of %d bytes reads %s', (bytes, text) => {
    expect(sizeText(bytes)).toBe(text);
  });
});
