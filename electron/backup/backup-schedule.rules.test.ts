import { expect, test } from 'vitest';
import { isBackupDue } from './backup-schedule.rules.ts';

const now = 1_800_000_000_000;
const hourMs = 3_600_000;

test.each([
  ['the first one', null, true],
  ['a day after the last one', { endedAt: now - 24 * hourMs, isDone: true }, true],
  ['not before', { endedAt: now - 24 * hourMs + 1, isDone: true }, false],
  ['an hour after one that failed', { endedAt: now - hourMs, isDone: false }, true],
  ['not right after one that failed', { endedAt: now - hourMs + 1, isDone: false }, false],
  ['when the clock was set back', { endedAt: now + 1, isDone: true }, true],
])('%s', (_case, last, isDue) => {
  expect(isBackupDue(last, now)).toBe(isDue);
});
