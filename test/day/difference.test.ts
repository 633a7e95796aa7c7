import { describe, expect, it } from 'vitest';
import { difference, listDifference } from './difference.ts';

describe('the difference between what a member must see and what it sees', () => {
  it.for([
    { name: 'nothing if they are equal', actual: ['a', 'b', 'c'], says: null },
    { name: 'what is lost', actual: ['a', 'c'], says: 'lost: b' },
    { name: 'what is repeated', actual: ['a', 'b', 'b', 'c'], says: 'repeated: b' },
    {
      name: 'what the member must not see',
      actual: ['a', 'b', 'x', 'c'],
      says: 'shown to the wrong member: x',
    },
    { name: 'another order', actual: ['a', 'c', 'b'], says: 'in another order: c instead of b at 1' },
    {
      name: 'all of it',
      actual: ['x', 'c', 'c', 'b'],
      says: 'lost: a; repeated: c; shown to the wrong member: x',
    },
  ])('names $name', ({ actual, says }) => {
    expect(listDifference(['a', 'b', 'c'], actual)).toBe(says);
  });

  it('shows the first ten of a long list', () => {
    const labels = Array.from({ length: 12 }, (_, at) => `m${at}`);
    expect(listDifference(labels, [])).toBe(`lost: ${labels.slice(0, 10).join(', ')}, and 2 more`);
  });

  it('looks into a stream, which is labels and faults, and shows anything else whole', () => {
    expect(difference([['a'], []], [[], []])).toBe('lost: a');
    expect(difference([['a'], []], [['a'], ['got reset']])).toContain('got reset');
    expect(difference({ status: 200 }, { status: 403 })).toContain('403');
    expect(difference(['a'], 403)).toContain('403');
  });
});
