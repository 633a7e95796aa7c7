import { expect, it } from 'vitest';
import type { DayUsage } from '#protocol/activity.ts';
import type { ActivitySummary } from '#protocol/activity-summary.ts';
import { dayUsage, lastDays, modelUsage, tokensOf, usageByMember } from './token-usage.ts';

const dayMs = 86_400_000;
const row = (member: string, day: number, inputTokens: number, model = 'm1') =>
  ({
    member,
    day: day * dayMs,
    model,
    exchanges: 1,
    inputTokens,
    outputTokens: 1,
    cacheReadInputTokens: 0,
    cacheCreationInputTokens: 0,
  }) as DayUsage;
const usage = [row('ada', 1, 9), row('ben', 1, 49), row('ben', 2, 19, 'm2'), row('cy', 9, 99)];
const days = [dayMs, 2 * dayMs];

it('ends the last days with today, in UTC', () => {
  expect(lastDays(2, 2 * dayMs + 5)).toEqual(days);
});

it('sums tokens per member, largest sum first, and ignores other days', () => {
  expect(usageByMember(usage, days)).toEqual([
    { member: 'ben', tokens: [50, 20] },
    { member: 'ada', tokens: [10, 0] },
  ]);
});

it('sums tokens per day', () => {
  expect(dayUsage(usage, days)).toEqual([60, 20]);
});

it('sums tokens per model, largest sum first', () => {
  expect(
    modelUsage(usage).map(({ model, exchanges, inputTokens }) => [model, exchanges, inputTokens]),
  ).toEqual([
    ['m1', 3, 157],
    ['m2', 1, 19],
  ]);
});

it('counts no tokens for an exchange without figures', () => {
  const exchange = (usage: object | null) => ({ exchange: { usage } }) as unknown as ActivitySummary;
  expect(tokensOf(exchange(null))).toBe(0);
  expect(tokensOf(exchange({ inputTokens: 2, outputTokens: null }))).toBe(2);
  expect(tokensOf({} as ActivitySummary)).toBe(0);
});
