import { describe, expect, it } from 'vitest';
import { sentences } from './sentences.ts';

describe('sentences', () => {
  it.each([
    [['the file is missing'], 'the file is missing.'],
    [['the broker is down.', 'Try again.'], 'the broker is down. Try again.'],
    [
      ['there is no verb "x". Did you mean "y"?', 'Run "z".'],
      'there is no verb "x". Did you mean "y"? Run "z".',
    ],
    [['write "x"', 'Run "y"'], 'write "x". Run "y".'],
  ])('ends each of %j with a period unless it already ends', (texts, joined) => {
    expect(sentences(...texts)).toBe(joined);
  });
});
