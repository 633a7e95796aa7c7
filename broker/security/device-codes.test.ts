import { expect, it } from 'vitest';
import { UserCode, userCodeAlphabet } from '#protocol/enrollment.ts';
import { mintDeviceCode, mintUserCode } from './device-codes.ts';

it('are 8 letters of the alphabet, each as likely as any other at every position', () => {
  const codes = Array.from({ length: 20_000 }, mintUserCode);
  for (const code of codes) expect(UserCode.parse(code)).toBe(code);
  const expected = codes.length / userCodeAlphabet.length;
  for (const place of [0, 1, 2, 3, 5, 6, 7, 8]) {
    for (const letter of userCodeAlphabet) {
      const count = codes.filter((code) => code[place] === letter).length;
      // Six standard deviations.
      expect(Math.abs(count - expected)).toBeLessThan(6 * Math.sqrt(expected));
    }
  }
});

it('have 256 bits and do not repeat as device codes', () => {
  const codes = new Set(Array.from({ length: 1000 }, mintDeviceCode));
  expect(codes.size).toBe(1000);
  for (const code of codes) expect(Buffer.from(code, 'base64url')).toHaveLength(32);
});
