/**
 * Tokens per agent in the last seven days, as bars with numbers. A table is enough, so there is no chart
 * library.
 */
import { useUsage } from '../../data/queries.ts';
import { chartDays, lastDays, shortCount, usageByMember } from '../../data/token-usage.ts';
import { useNow } from '../../ui/time.tsx';

const maxMembers = 12;
/** A shorter bar looks like a stray dot. */
const minShare = 0.02;
const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'short', timeZone: 'UTC' });

export function TokenChart() {
  const { data } = useUsage(chartDays);
  const shownDays = lastDays(chartDays, useNow());
  const all = usageByMember(data?.usage ?? [], shownDays);
  if (all.length === 0) return null;
  const members = all.slice(0, maxMembers);
  const most = Math.max(1, ...members.flatMap(({ tokens }) => tokens));
  return (
    <section aria-label="Tokens per day of all members" className="max-w-4xl px-4 py-6">
      <h2 className="pb-1 text-sm font-medium text-soft">
        Tokens per day of all members, people included <span className="font-normal text-faint">(UTC)</span>
      </h2>
      <div className="overflow-x-auto">
        <table className="w-full text-sm">
          <caption className="sr-only">Model tokens of people and agents per UTC day</caption>
          <thead>
            <tr className="text-left text-faint">
              <th scope="col" className="font-medium">
                Member
              </th>
              {shownDays.map((day) => (
                <th scope="col" key={day} className="px-1 text-right font-medium">
                  {weekday.format(day)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {members.map(({ member, tokens }) => (
              <tr key={member} className="align-baseline">
                <th scope="row" className="py-1 text-left font-medium">
                  {member}
                </th>
                {shownDays.map((day, at) => {
                  const count = tokens[at] ?? 0;
                  const share = count / most;
                  return (
                    <td key={day} className="px-1 text-right tabular-nums">
                      {count === 0 ? <span className="text-faint">–</span> : shortCount.format(count)}
                      <span
                        aria-hidden="true"
                        className="mt-0.5 ml-auto block h-1 rounded-sm bg-accent"
                        style={{ width: share < minShare ? 0 : `${share * 100}%` }}
                      />
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
        {all.length > members.length ? (
          <p className="pt-1 text-sm text-faint">and {all.length - members.length} more</p>
        ) : null}
      </div>
    </section>
  );
}
