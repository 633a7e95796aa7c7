import { expect, it } from 'vitest';
import { counted } from './counted.ts';

it.each([
  [0, '0 members'],
  [1, '1 member'],
  [2, '2 members'],
  [1234, '1,234 members'],
])('writes %i with the noun in the right number', (count, text) => {
  expect(counted(count, 'member')).toBe(text);
});

it('takes an irregular plural', () => {
  expect([counted(1, 'entry', 'entries'), counted(2, 'entry', 'entries')]).toEqual(['1 entry', '2 entries']);
});
