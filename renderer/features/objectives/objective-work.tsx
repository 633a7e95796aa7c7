/** The recorded work on an objective: the newest model requests of each assignee, and the tokens. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import type { ObjectiveView } from '#protocol/objective.ts';
import { useBroker } from '../../data/broker.tsx';
import { shortCount } from '../../data/token-usage.ts';
import { linkClass } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { hasRoom } from '../../ui/has-room.ts';
import { NotLoaded } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { daysQuery, stepsQuery, useMaySeeWork } from './use-work.ts';
import { maxWorkers, stepsSentence, type Worker, workersOf } from './work.rules.ts';

interface WorkerProps {
  id: string;
  worker: Worker;
}

function WorkOf(props: WorkerProps) {
  const { member, to } = props.worker;
  const { client } = useBroker();
  const { data: steps, error, refetch } = useQuery(stepsQuery(client, props.id, member));
  const { data: all = 0 } = useQuery(daysQuery(client, props.id, props.worker));
  const ofSteps = (steps ?? []).reduce((sum, { tokens }) => sum + tokens, 0);
  if (steps === undefined) return <NotLoaded error={error} onRetry={refetch} rows={2} />;
  return (
    <>
      <p>{stepsSentence(member, steps, (count) => shortCount.format(count))}</p>
      {all <= ofSteps ? null : (
        <p className="text-sm text-soft">
          On the days when {member} {to === null ? 'has had' : 'had'} this objective, {member} used{' '}
          {shortCount.format(all)} tokens in total, other work included.
        </p>
      )}
      {steps.length === 0 ? null : (
        <ol className="mt-1 flex flex-col">
          {steps.map((step) => (
            <li key={step.id} className="border-t border-line py-1 text-sm">
              <p className="line-clamp-2 wrap-anywhere" dir="auto" title={step.gist}>
                {step.gist}
              </p>
              <p className="text-faint">
                {step.tokens === 0 ? '' : `${shortCount.format(step.tokens)} tokens · `}
                <Time at={step.ts} />
              </p>
            </li>
          ))}
        </ol>
      )}
      <Link to="/app/activity" search={{ member, objective: props.id }} className={cx(linkClass, 'text-sm')}>
        Activity of {member} for this objective
      </Link>
    </>
  );
}

/** A part that can be folded, open from the start where there is room for it. */
export function ObjectiveWork({ view: { objective, events } }: { view: ObjectiveView }) {
  const maySee = useMaySeeWork();
  const [isOpen] = useState(hasRoom);
  const workers = workersOf(events);
  return (
    <section aria-label="Work">
      <details open={isOpen}>
        <summary className="flex min-h-8 cursor-pointer items-center gap-1 text-soft max-lg:min-h-11 [details[open]>&>svg]:rotate-90">
          <ChevronRight aria-hidden="true" className="size-4" />
          <h2 className="text-sm">Work</h2>
        </summary>
        <ul className="flex flex-col gap-4 pt-1">
          {workers.slice(0, maxWorkers).map((worker) => (
            <li key={worker.member} className="flex flex-col gap-1">
              <h3 className="font-medium">{worker.member}</h3>
              {maySee(worker.member) ? (
                <WorkOf id={objective.id} worker={worker} />
              ) : (
                <p className="text-soft">
                  Only members who may see the activity of every agent see the work of {worker.member}.
                </p>
              )}
            </li>
          ))}
          {workers.length > maxWorkers ? (
            <li className="text-sm text-soft">
              {workers.length - maxWorkers} earlier assignees are not shown.
            </li>
          ) : null}
        </ul>
      </details>
    </section>
  );
}
