import { expect, it } from 'vitest';
import { knockSentence } from './knock.rules.ts';

const windowMs = 900_000;
const source = (address: string, count: number) => ({ address, count, lastAt: 1 });

it.each([
  [{ windowMs, total: 0, sources: [] }, null],
  [{ windowMs, total: 4, sources: [source('192.0.2.7', 4)] }, null],
  [
    { windowMs, total: 17, sources: [source('192.0.2.7', 17)] },
    '17 failed logins from 192.0.2.7 in the last 15 minutes.',
  ],
  [
    { windowMs, total: 20, sources: [source('192.0.2.7', 17), source('2001:db8:1:2::/64', 3)] },
    '20 failed logins from several addresses, most of them (17) from 192.0.2.7 in the last 15 minutes.',
  ],
])('says of %j: %s', (report, sentence) => {
  expect(knockSentence(report)).toBe(sentence);
});
