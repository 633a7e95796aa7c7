/** The machines that stand by for each other, in the desktop app (specification/desktop.md#several-machines). */
import type { StandbyView } from '../../../electron/bridge.ts';
import { Section } from '../../ui/page.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { useStandbyState } from './bridge-states.ts';

function ageText(ms: number): string {
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s ago`;
  const minutes = Math.round(ms / 60_000);
  if (minutes < 120) return `${minutes} min ago`;
  return `${Math.round(minutes / 60)} h ago`;
}

/** Null while it is asked for the first time, and for a machine that is the only one. */
export function StandbyPart() {
  const { data, error, refetch } = useStandbyState();
  if (error === null && (data === undefined || data === null)) return null;
  return (
    <Section title="Several machines">
      <div className="flex flex-col gap-3 p-4">
        {error !== null || data === undefined || data === null ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : (
          <Machines view={data} />
        )}
      </div>
    </Section>
  );
}

function Machines({ view: { role, active, others } }: { view: StandbyView }) {
  return (
    <>
      <p>
        {role === 'active'
          ? 'This machine is active: it answers the team.'
          : 'This machine stands by. It passes everything on to the active machine.'}
      </p>
      {active === null ? (
        <p className="text-critical">No machine is active now.</p>
      ) : (
        <p className="text-soft">
          “{active.name}” has been active since <Time at={active.since} />. The database confirmed it{' '}
          {ageText(active.age)}.
        </p>
      )}
      {others.length === 0 ? (
        <p className="text-critical">No other machine stands by, so none could take over.</p>
      ) : (
        <Others others={others} />
      )}
    </>
  );
}

function stateOf({ isThere, isComplete }: StandbyView['others'][number]): string {
  if (!isThere) return 'Not there';
  return isComplete ? 'Stands by with everything' : 'Lacks something; see its log';
}

function Others({ others }: Pick<StandbyView, 'others'>) {
  return (
    <table aria-label="Other machines" className="w-full border-collapse text-left text-sm max-sm:block">
      <thead className="text-soft max-sm:sr-only">
        <tr className="border-b border-line">
          {['Machine', 'State', 'Version', 'Last sign of life'].map((title) => (
            <th key={title} scope="col" className="py-1.5 pr-3 font-medium">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="max-sm:block">
        {others.map((machine) => (
          <tr
            key={machine.name}
            className="border-b border-line max-sm:flex max-sm:flex-wrap max-sm:gap-x-3 max-sm:py-1.5"
          >
            <th scope="row" className="py-1.5 pr-3 font-medium break-all max-sm:w-full max-sm:py-0">
              {machine.name}
            </th>
            <td className="py-1.5 pr-3 max-sm:py-0">{stateOf(machine)}</td>
            <td className="py-1.5 pr-3 text-soft max-sm:py-0">{machine.version}</td>
            <td className="py-1.5 text-soft tabular-nums max-sm:py-0">{ageText(machine.age)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
