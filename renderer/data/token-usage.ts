/** Tokens of models per member and day in UTC. */
import type { ActivityRow, DayUsage } from '#protocol/activity.ts';

const dayMs = 86_400_000;

type Counts = {
  [Key in 'inputTokens' | 'outputTokens' | 'cacheReadInputTokens' | 'cacheCreationInputTokens']:
    | number
    | null;
};

const sumOf = (counts: Counts): number =>
  (counts.inputTokens ?? 0) +
  (counts.outputTokens ?? 0) +
  (counts.cacheReadInputTokens ?? 0) +
  (counts.cacheCreationInputTokens ?? 0);

/** All tokens of one exchange; 0 where the model did not say. */
export function tokensOf({ event }: ActivityRow): number {
  const usage = event.kind === 'llm_exchange' ? event.entry.response?.usage : null;
  return usage == null ? 0 : sumOf(usage);
}

/** Starts of the last so many days in UTC, today's last, epoch ms. */
export function lastDays(days: number, now: number): number[] {
  const today = now - (now % dayMs);
  return Array.from({ length: days }, (_, index) => today - (days - 1 - index) * dayMs);
}

export interface MemberUsage {
  member: string;
  /** In the order of the days. */
  tokens: number[];
}

/** Everybody with an exchange in these days, the one with the most tokens first; models are taken together. */
export function usageByMember(usage: readonly DayUsage[], days: readonly number[]): MemberUsage[] {
  const tokensByMember = new Map<string, number[]>();
  for (const row of usage) {
    const at = days.indexOf(row.day);
    if (at === -1) continue;
    const tokens = tokensByMember.get(row.member) ?? days.map(() => 0);
    tokens[at] = (tokens[at] ?? 0) + sumOf(row);
    tokensByMember.set(row.member, tokens);
  }
  const all = (tokens: readonly number[]) => tokens.reduce((sum, count) => sum + count, 0);
  return [...tokensByMember]
    .map(([member, tokens]) => ({ member, tokens }))
    .sort((a, b) => all(b.tokens) - all(a.tokens) || a.member.localeCompare(b.member));
}

/** All tokens of these rows, in the order of the days. */
export function dayUsage(usage: readonly DayUsage[], days: readonly number[]): number[] {
  const tokens = days.map(() => 0);
  for (const row of usage) {
    const at = days.indexOf(row.day);
    if (at !== -1) tokens[at] = (tokens[at] ?? 0) + sumOf(row);
  }
  return tokens;
}

/** The days of each model taken together, the one with the most tokens first. */
export function modelUsage(usage: readonly DayUsage[]): Omit<DayUsage, 'day' | 'member'>[] {
  const byModel = new Map<string | null, Omit<DayUsage, 'day' | 'member'>>();
  for (const { model, exchanges, ...counts } of usage) {
    const before = byModel.get(model);
    byModel.set(model, {
      model,
      exchanges: (before?.exchanges ?? 0) + exchanges,
      inputTokens: (before?.inputTokens ?? 0) + counts.inputTokens,
      outputTokens: (before?.outputTokens ?? 0) + counts.outputTokens,
      cacheReadInputTokens: (before?.cacheReadInputTokens ?? 0) + counts.cacheReadInputTokens,
      cacheCreationInputTokens: (before?.cacheCreationInputTokens ?? 0) + counts.cacheCreationInputTokens,
    });
  }
  return [...byModel.values()].sort((a, b) => sumOf(b) - sumOf(a));
}

/** `1.2 M`, `34 k`. */
export const shortCount = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
