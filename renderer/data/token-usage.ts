/** Model tokens per member and UTC day. */
import type { DayUsage } from '#protocol/activity.ts';
import type { ActivitySummary } from '#protocol/activity-summary.ts';

const dayMs = 86_400_000;

/** The days of the chart on Agents; others that need fewer days ask for as many, so that one request answers all. */
export const chartDays = 7;

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

/** Returns all tokens of one exchange; 0 if the model reported none. */
export function tokensOf({ exchange }: ActivitySummary): number {
  return exchange?.usage == null ? 0 : sumOf(exchange.usage);
}

/** Returns the starts of the last `days` UTC days, today's last, in epoch ms. */
export function lastDays(days: number, now: number): number[] {
  const today = now - (now % dayMs);
  return Array.from({ length: days }, (_, index) => today - (days - 1 - index) * dayMs);
}

export interface MemberUsage {
  member: string;
  /** One entry per day, in order. */
  tokens: number[];
}

/** Returns every member with an exchange in these days, most tokens first, with all models added up. */
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

/** Returns all tokens of these rows per day. */
export function dayUsage(usage: readonly DayUsage[], days: readonly number[]): number[] {
  const tokens = days.map(() => 0);
  for (const row of usage) {
    const at = days.indexOf(row.day);
    if (at !== -1) tokens[at] = (tokens[at] ?? 0) + sumOf(row);
  }
  return tokens;
}

/** Returns the tokens of each model over all days, most tokens first. */
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

/** Formats a count such as `1.2 M` or `34 k`. */
export const shortCount = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
