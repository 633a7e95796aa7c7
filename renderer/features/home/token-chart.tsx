/** Tokens per agent in the last seven days, as bars with their numbers: no chart library for what a table says better. */
import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { useMay, useRoster, useSelf } from '../../data/queries.ts';
import { Section } from '../../ui/page.tsx';
import { shortCount, usageByDay } from './token-usage.ts';

const days = 7;
const membersShown = 12;
const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'short' });

export function TokenChart() {
  const { client } = useBroker();
  const self = useSelf().member;
  const maySeeAll = useMay('activity.read');
  const { data: roster } = useRoster();
  const members = useMemo(
    () => (maySeeAll ? (roster?.teammates ?? []).map(({ name }) => name as string) : [self]).slice(0, 50),
    [maySeeAll, roster, self],
  );
  const from = useMemo(() => new Date().setHours(0, 0, 0, 0) - (days - 1) * 86_400_000, []);
  const results = useQueries({
    queries: members.map((name) => ({
      queryKey: [...keys.activity(name), 'usage', from],
      queryFn: () =>
        client.call('activityRange', {
          params: { name },
          query: { from: String(from), kind: 'llm_exchange', limit: '1000' },
        }),
      staleTime: 60_000,
    })),
  });
  const rows = results.flatMap(({ data }) => data?.activity ?? []);
  const usage = usageByDay(rows, days, Date.now());
  const names = [...new Set(rows.map(({ memberName }) => memberName))].slice(0, membersShown);
  if (names.length === 0) return null;
  const most = Math.max(1, ...usage.flatMap(({ tokensByMember }) => [...tokensByMember.values()]));
  return (
    <Section title="Tokens per agent and day">
      <div className="overflow-x-auto px-4 py-3">
        <table className="w-full text-sm">
          <caption className="sr-only">Tokens of models, per member and day</caption>
          <thead>
            <tr className="text-left text-faint">
              <th scope="col" className="font-medium">
                Member
              </th>
              {usage.map(({ day }) => (
                <th scope="col" key={day} className="px-1 text-right font-medium">
                  {weekday.format(day)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {names.map((name) => (
              <tr key={name}>
                <th scope="row" className="py-1 text-left font-medium">
                  {name}
                </th>
                {usage.map(({ day, tokensByMember }) => {
                  const tokens = tokensByMember.get(name) ?? 0;
                  return (
                    <td key={day} className="px-1 text-right tabular-nums">
                      {tokens === 0 ? <span className="text-faint">–</span> : shortCount.format(tokens)}
                      <span
                        aria-hidden="true"
                        className="mt-0.5 ml-auto block h-1 rounded-sm bg-accent"
                        style={{ width: `${(tokens / most) * 100}%` }}
                      />
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}
