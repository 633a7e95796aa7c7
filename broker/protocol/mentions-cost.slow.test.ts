import { expect, it } from 'vitest';
import { cpuGrowth, proportional } from '#platform/testing/cpu-growth.ts';
import { mentionsIn } from './mentions.ts';

it.each(['a.', '@a', '@'])('mentions are found in linear time in a text of "%s"', (piece) => {
  const mentionsInFilled = (length: number): unknown => mentionsIn(`@${piece.repeat(length)}`);
  expect(cpuGrowth(mentionsInFilled)).toBeLessThan(proportional);
});
