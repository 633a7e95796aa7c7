/** The recorded work on an objective: the newest model requests of each assignee, and the tokens. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Objective, ObjectiveEvent } from '#protocol/objective.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { may, relationsToMember } from '../../data/rights.ts';
import { useSelf } from '../../data/self.tsx';
import { dayUsage, shortCount, tokensOf } from '../../data/token-usage.ts';
import { Section } from '../../ui/page.tsx';
import { ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { gistOf } from '../activity/activity-gist.rules.ts';
import {
  maxSteps,
  maxWorkers,
  stepsOf,
  stepsSentence,
  usageRange,
  type Worker,
  workersOf,
} from './work.rules.ts';

/** There are no events for activity, so it is polled while the page is visible. */
const intervalMs = 60_000;
const polled = { staleTime: intervalMs, refetchInterval: intervalMs };

interface WorkerProps {
  id: string;
  worker: Worker;
}

function useSteps({ id, worker: { member } }: WorkerProps) {
  const { client } = useBroker();
  return useQuery({
    queryKey: [...keys.activity(member), 'steps', id],
    ...polled,
    queryFn: async () => {
      const { activity } = await client.call('activitySummaries', {
        params: { name: member },
        query: { objective: id, kind: 'llm_exchange', limit: String(maxSteps) },
      });
      return stepsOf(activity, (row) => gistOf(row, undefined), tokensOf);
    },
  });
}

/** Returns all tokens of the member on the days when it had the objective. */
function useDays({ id, worker }: WorkerProps) {
  const { client } = useBroker();
  return useQuery({
    queryKey: [...keys.activity(worker.member), 'days', id],
    ...polled,
    queryFn: async () => {
      const { from, to } = usageRange(worker, Date.now());
      const { usage } = await client.call('activityUsage', {
        query: { member: worker.member, from: String(from), to: String(to) },
      });
      const days = [...new Set(usage.map(({ day }) => day))];
      return dayUsage(usage, days).reduce((sum, tokens) => sum + tokens, 0);
    },
  });
}

function WorkOf(props: WorkerProps) {
  const { member, to } = props.worker;
  const { data: steps, error, refetch } = useSteps(props);
  const { data: all = 0 } = useDays(props);
  if (steps === undefined)
    return error === null ? (
      <ListSkeleton rows={2} />
    ) : (
      <ErrorState error={error} onRetry={() => void refetch()} />
    );
  return (
    <>
      <p>{stepsSentence(member, steps, (count) => shortCount.format(count))}</p>
      {all === 0 ? null : (
        <p className="text-sm text-soft">
          On the days when {member} {to === null ? 'has had' : 'had'} it, all work of {member} used{' '}
          {shortCount.format(all)} tokens.
        </p>
      )}
      {steps.length === 0 ? null : (
        <ol className="mt-1 flex flex-col">
          {steps.map((step) => (
            <li key={step.id} className="flex items-baseline gap-3 border-t border-line py-1 text-sm">
              <span className="min-w-0 flex-1 truncate" dir="auto">
                {step.gist}
              </span>
              <span className="text-faint tabular-nums">
                {step.tokens === 0 ? '' : shortCount.format(step.tokens)}
              </span>
              <span className="text-faint">
                <Time at={step.ts} />
              </span>
            </li>
          ))}
        </ol>
      )}
      <Link
        to="/app/activity"
        search={{ member, objective: props.id }}
        className="text-sm text-accent underline underline-offset-2"
      >
        Activity of {member} for this objective
      </Link>
    </>
  );
}

export function ObjectiveWork({
  objective,
  events,
}: {
  objective: Objective;
  events: readonly ObjectiveEvent[];
}) {
  const self = useSelf();
  const workers = workersOf(objective, events);
  return (
    <Section title="Work">
      <ul className="flex flex-col divide-y divide-line">
        {workers.slice(0, maxWorkers).map((worker) => (
          <li key={worker.member} className="flex flex-col gap-1 px-4 py-3">
            <h3 className="font-medium">{worker.member}</h3>
            {may('activityRange', self.permissions, relationsToMember(worker.member, self.member)) ? (
              <WorkOf id={objective.id} worker={worker} />
            ) : (
              <p className="text-soft">Only members with activity.read see the work of {worker.member}.</p>
            )}
          </li>
        ))}
        {workers.length > maxWorkers ? (
          <li className="px-4 py-2 text-sm text-soft">
            {workers.length - maxWorkers} earlier assignees are not shown.
          </li>
        ) : null}
      </ul>
    </Section>
  );
}
