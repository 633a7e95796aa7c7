import { describe, expect, it } from 'vitest';
import { refusalText } from './model-refusal-text.ts';

const timeOf = () => '14:05';

describe('why a model refuses, in words', () => {
  it.each([
    [{ cause: 'login' }, 'not logged in'],
    [{ cause: 'limit' }, 'a limit is reached'],
    [{ cause: 'limit', until: 1 }, 'limit until 14:05'],
    [{ cause: 'overloaded' }, 'overloaded'],
    [{ cause: 'unreachable', detail: '' }, 'unreachable'],
    [
      { cause: 'rejected', detail: 'credit balance is too low' },
      'the request was rejected (credit balance is too low)',
    ],
  ] as const)('%j', (refusal, text) => {
    expect(refusalText(refusal, timeOf)).toBe(text);
  });
});
