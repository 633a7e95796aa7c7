import { expect, it } from 'vitest';
import { nearestWord } from './nearest-word.ts';

it.each([
  ['pusg', ['push', 'recent'], 'push'],
  ['bne', ['ada', 'ben', 'cy'], 'ben'],
  ['mem', ['channels', 'members'], 'members'],
  ['dan', ['ada', 'ben', 'cy'], undefined],
  ['gneral', ['main', 'general'], 'general'],
  ['frobnicate', ['push', 'recent'], undefined],
  ['x', [], undefined],
])('the word that was probably meant by %j among %j is %j', (written, words, near) => {
  expect(nearestWord(written, words)).toBe(near);
});
