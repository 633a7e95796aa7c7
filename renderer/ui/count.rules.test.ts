import { expect, it } from 'vitest';
import { countText } from './count.rules.ts';

it.each([
  { count: 3, isPart: false, shown: '3', spoken: '3' },
  { count: 100, isPart: false, shown: '99+', spoken: '100' },
  { count: 3, isPart: true, shown: '3+', spoken: '3 or more' },
  { count: 100, isPart: true, shown: '99+', spoken: '100 or more' },
])('a count of $count, in part: $isPart, is shown as $shown', ({ count, isPart, shown, spoken }) => {
  expect(countText(count, isPart)).toEqual({ shown, spoken });
});
