/** The members and the times of an objective. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Objective } from '#protocol/objective.ts';
import { Time } from '../../ui/time.tsx';

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="flex gap-3 py-1">
    <dt className="w-24 shrink-0 text-soft">{name}</dt>
    <dd className="min-w-0 flex-1">{children}</dd>
  </div>
);

const MemberLink = ({ name }: { name: string }) => (
  <Link to="/app/members/$name" params={{ name }} className="text-accent underline underline-offset-2">
    {name}
  </Link>
);

export function ObjectiveFacts({ objective }: { objective: Objective }) {
  const { assignee, originator, watchers, createdAt, completedAt } = objective;
  return (
    <dl className="px-4 py-2">
      <Fact name="Assignee">
        <MemberLink name={assignee} />
      </Fact>
      <Fact name="Originator">
        <MemberLink name={originator} />
      </Fact>
      <Fact name="Watchers">{watchers.length === 0 ? 'none' : watchers.join(', ')}</Fact>
      <Fact name="Created">
        <Time at={createdAt} />
      </Fact>
      {completedAt === null ? null : (
        <Fact name="Ended">
          <Time at={completedAt} />
        </Fact>
      )}
    </dl>
  );
}
