/**
 * A member's tokens over the last thirty days, one bar per day, and the tokens of each model. Costs are not
 * shown, because the prices are unknown.
 */
import { ChevronRight } from 'lucide-react';
import { useUsage } from '../../data/queries.ts';
import { dayUsage, lastDays, modelUsage, shortCount } from '../../data/token-usage.ts';
import { useNow } from '../../ui/time.tsx';

const days = 30;
const columns = {
  exchanges: 'Model requests',
  inputTokens: 'Input',
  outputTokens: 'Output',
  cacheReadInputTokens: 'Read from cache',
  cacheCreationInputTokens: 'Written to cache',
} as const;
const fields = Object.keys(columns) as (keyof typeof columns)[];
const date = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });

export function UsageStrip({ member }: { member: string }) {
  const { data } = useUsage(days);
  const shownDays = lastDays(days, useNow());
  const rows = (data?.usage ?? []).filter((row) => row.member === member);
  if (rows.length === 0) return null;
  const byDay = dayUsage(rows, shownDays);
  const maxTokens = Math.max(1, ...byDay);
  const models = modelUsage(rows);
  return (
    <details className="shrink-0 border-b border-line bg-surface px-4 py-2">
      <summary className="flex cursor-pointer flex-wrap items-end gap-x-4 gap-y-1">
        <span className="text-sm text-soft">
          <span className="font-medium text-text tabular-nums">
            {shortCount.format(byDay.reduce((sum, count) => sum + count, 0))} tokens
          </span>{' '}
          in {days} days
        </span>
        <span aria-hidden="true" className="flex h-8 min-w-0 flex-1 items-end gap-px">
          {byDay.map((count, at) => (
            <span
              key={shownDays[at]}
              title={`${date.format(shownDays[at])}: ${shortCount.format(count)}`}
              className={count === 0 ? 'flex-1 bg-line' : 'flex-1 rounded-t-sm bg-accent'}
              style={{ height: count === 0 ? '1px' : `${Math.max(8, (count / maxTokens) * 100)}%` }}
            />
          ))}
        </span>
        <span className="flex items-center text-sm text-soft">
          <ChevronRight aria-hidden="true" className="size-4 [details[open]>summary_&]:rotate-90" />
          by model
        </span>
      </summary>
      <div className="overflow-x-auto pt-2">
        <table className="w-full text-sm tabular-nums">
          <caption className="sr-only">
            Tokens of {member} in the last {days} days (UTC), per model
          </caption>
          <thead>
            <tr className="text-right text-faint">
              <th scope="col" className="text-left font-medium">
                Model
              </th>
              {fields.map((field) => (
                <th scope="col" key={field} className="pl-3 font-medium">
                  {columns[field]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {models.map((row) => (
              <tr key={row.model} className="text-right">
                <th scope="row" className="py-0.5 text-left font-medium">
                  {row.model ?? 'unknown'}
                </th>
                {fields.map((field) => (
                  <td key={field} className="pl-3">
                    {shortCount.format(row[field])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
