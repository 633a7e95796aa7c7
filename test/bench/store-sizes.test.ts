import { describe, expect, it } from 'vitest';
import type { TeamSize } from '../scale/team-shape.ts';
import { comparedStores, full, sizeText, smallestShare, usual } from './store-sizes.ts';

/** Returns the counts that are as large in the tenth as in the whole. Bodies are as long in both. */
const sameIn = (whole: TeamSize, share: number): string[] => {
  const { tenth, all } = comparedStores(whole, share);
  const names = Object.keys(all) as (keyof TeamSize)[];
  return names.filter((name) => name !== 'body' && tenth[name] >= all[name]);
};

describe.each([
  ['the usual store', usual],
  ['the full store', full],
])('the smallest share of %s', (_, whole) => {
  const smallest = smallestShare(whole);

  it('and every larger one have more of everything than their tenth', () => {
    for (let hundredths = Math.round(smallest * 100); hundredths <= 100; hundredths++)
      expect(sameIn(whole, hundredths / 100)).toEqual([]);
  });

  it('is the smallest one in hundredths', () => {
    expect(sameIn(whole, smallest - 0.01)).not.toEqual([]);
  });
});

describe('sizeText', () => {
  it('says everything that a store has', () => {
    expect(sizeText(usual)).toBe(
      '1,000,000 messages, 500 members, 200 channels, 10,000 objectives, 20,000 files, 100,000 rows of activity',
    );
  });
});
