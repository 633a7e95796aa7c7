import { describe, expect, it } from 'vitest';
import { maskText } from './masking.rules.ts';
import {
  type Sample,
  samplesWithoutSecrets,
  samplesWithSecrets,
  unseenSamples,
} from './testing/secret-corpus.ts';

/** Of a long secret, no part of so many characters may remain. */
const longestPart = 10;

function partsOf(secret: string): string[] {
  if (secret.length <= longestPart) return [secret];
  return Array.from({ length: secret.length - longestPart + 1 }, (_, at) =>
    secret.slice(at, at + longestPart),
  );
}

const remains = (text: string, secret: string): boolean =>
  partsOf(secret).some((part) => text.includes(part));

function shareOfFound(samples: readonly Sample[]): number {
  const found = samples.flatMap(({ text, secrets }) =>
    secrets.map((secret) => !remains(maskText(text), secret)),
  );
  return found.filter(Boolean).length / found.length;
}

const shareOfChanged = (samples: readonly Sample[]): number =>
  samples.filter(({ text }) => maskText(text) !== text).length / samples.length;

describe('masking, measured on the corpus', () => {
  const positive = samplesWithSecrets();
  const negative = samplesWithoutSecrets();

  it('has at least 300 samples, and at least 100 of each kind', () => {
    expect(positive.length + negative.length).toBeGreaterThanOrEqual(300);
    expect(Math.min(positive.length, negative.length)).toBeGreaterThanOrEqual(100);
    for (const { text, secrets } of positive) expect(secrets, text).not.toEqual([]);
  });

  it('finds at least 98 of 100 secrets', () => {
    expect(shareOfFound(positive)).toBeGreaterThanOrEqual(0.98);
  });

  it('finds as many if the sample is a field of JSON', () => {
    const found = positive.flatMap(({ text, secrets }) => {
      const shown = maskText(JSON.stringify({ type: 'text', text }));
      return secrets.map((secret) => !remains(shown, secret));
    });
    expect(found.filter(Boolean).length / found.length).toBeGreaterThanOrEqual(0.98);
  });

  it('changes at most 1 of 100 texts without secrets', () => {
    expect(shareOfChanged(negative)).toBeLessThanOrEqual(0.01);
  });

  it('keeps JSON readable and changes nothing that is already masked', () => {
    for (const { text } of [...positive, ...negative]) {
      const once = maskText(text);
      expect(maskText(once)).toBe(once);
      expect(() => JSON.parse(maskText(JSON.stringify({ text })))).not.toThrow();
    }
  });
});

/** No rule was written from these samples. Do not read the failures: measure, and write new samples to learn from. */
describe('masking, measured on samples from which no rule was written', () => {
  const { positive, negative } = unseenSamples();

  it('finds at least 95 of 100 secrets', () => {
    expect(shareOfFound(positive)).toBeGreaterThanOrEqual(0.95);
  });

  it('changes at most 2 of 100 texts without secrets', () => {
    expect(shareOfChanged(negative)).toBeLessThanOrEqual(0.02);
  });
});
