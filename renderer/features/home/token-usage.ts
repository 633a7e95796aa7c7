/** Tokens of models per member and day, from the activity of those whom the caller may see. */
import type { ActivityRow } from '#protocol/activity.ts';

export interface DayUsage {
  /** Start of the day, epoch ms. */
  day: number;
  tokensByMember: Map<string, number>;
}

const startOfDay = (at: number): number => new Date(at).setHours(0, 0, 0, 0);

/** Input and output of one exchange; 0 where the model did not say. */
export function tokensOf({ event }: ActivityRow): number {
  if (event.kind !== 'llm_exchange') return 0;
  const usage = event.entry.response?.usage;
  return (
    (usage?.inputTokens ?? 0) +
    (usage?.outputTokens ?? 0) +
    (usage?.cacheReadInputTokens ?? 0) +
    (usage?.cacheCreationInputTokens ?? 0)
  );
}

export function usageByDay(rows: readonly ActivityRow[], days: number, now: number): DayUsage[] {
  const first = new Date(startOfDay(now));
  first.setDate(first.getDate() - days + 1);
  const usage = Array.from({ length: days }, (_, index) => {
    const day = new Date(first);
    day.setDate(first.getDate() + index);
    return { day: day.getTime(), tokensByMember: new Map<string, number>() };
  });
  for (const row of rows) {
    const tokens = tokensOf(row);
    const day = usage.find((one) => one.day === startOfDay(row.event.ts));
    if (tokens === 0 || day === undefined) continue;
    day.tokensByMember.set(row.memberName, (day.tokensByMember.get(row.memberName) ?? 0) + tokens);
  }
  return usage;
}

/** `1.2 M`, `34 k`. */
export const shortCount = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
