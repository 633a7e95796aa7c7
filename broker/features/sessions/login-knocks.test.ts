import { expect, it } from 'vitest';
import { limits } from '#protocol/limits.ts';
import { keptLog } from '../../storage/testing/test-store.ts';
import { createLoginKnocks } from './login-knocks.ts';

const { shown, logEveryMs } = limits.loginKnocks;

it('a persistent source is not hidden by a flood of new addresses, and the list stays short', () => {
  const now = 1_000_000;
  const knocks = createLoginKnocks(() => now, keptLog().log);
  for (let n = 0; n < 20_000; n++) {
    if (n % 100 === 0) knocks.note('192.0.2.7');
    knocks.note(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`);
  }
  const { total, sources } = knocks.report();
  expect(total).toBe(20_200);
  expect(sources).toHaveLength(shown);
  expect(sources[0]).toEqual({ address: '192.0.2.7', count: 200, lastAt: now });
});

it('logs the last failures of a burst with a later flush', () => {
  let now = 1_000_000;
  const { log, lines } = keptLog();
  const knocks = createLoginKnocks(() => now, log);
  for (let n = 0; n < 3; n++) knocks.note('192.0.2.7');
  knocks.flush();
  expect(lines()).toHaveLength(1);
  now += logEveryMs;
  knocks.flush();
  knocks.flush();
  expect(lines()).toHaveLength(2);
});
