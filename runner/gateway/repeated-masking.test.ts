import { expect, it } from 'vitest';
import { maskText } from './masking.rules.ts';
import { createRepeatedMasking } from './repeated-masking.ts';
import { samplesWithoutSecrets, samplesWithSecrets } from './testing/secret-corpus.ts';

it('shows what masking shows, however often a text comes', () => {
  const mask = createRepeatedMasking();
  const filler = 'The tide turns at noon, and the boats return. '.repeat(6);
  for (const { text } of [...samplesWithSecrets(), ...samplesWithoutSecrets()]) {
    const long = `${filler}\n${text}\n${filler}`;
    const shown = maskText(long);
    for (let time = 0; time < 3; time++) expect(mask(long)).toBe(shown);
  }
});

it('stays right after more texts than it remembers', () => {
  const mask = createRepeatedMasking();
  const texts = Array.from({ length: 9000 }, (_, n) => `${n} ${'x '.repeat(100)}`);
  for (const text of texts) expect(mask(text)).toBe(text);
  expect(mask(texts[0] ?? '')).toBe(texts[0]);
});
