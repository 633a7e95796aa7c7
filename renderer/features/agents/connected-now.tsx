/** The members that are connected, from any machine. */
import { Link } from '@tanstack/react-router';
import { Bot } from 'lucide-react';
import { presenceState } from '#protocol/presence-state.ts';
import { useRoster } from '../../data/queries.ts';
import { Avatar, PresenceMark } from '../../ui/avatar.tsx';
import { KindBadge } from '../../ui/kind.tsx';
import { Section } from '../../ui/page.tsx';
import { EmptyState, ErrorState, ListSkeleton } from '../../ui/states.tsx';

export function ConnectedNow() {
  const { data, error, refetch } = useRoster();
  const working = (data?.connected ?? []).filter((presence) => presenceState(presence) !== 'offline');
  return (
    <Section title="Connected now">
      {error !== null && data === undefined ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : null}
      {data === undefined && error === null ? <ListSkeleton rows={3} /> : null}
      {data !== undefined && working.length === 0 ? (
        <EmptyState icon={<Bot />} title="No one is connected" />
      ) : null}
      <ul>
        {working.map((presence) => (
          <li
            key={presence.name}
            className="flex items-center gap-3 border-b border-line px-4 py-2 last:border-0"
          >
            <Avatar name={presence.name} />
            <span className="flex flex-1 items-center gap-2 font-medium">
              {presence.name} <KindBadge name={presence.name} />
            </span>
            <PresenceMark presence={presence} />
            <Link
              to="/app/activity"
              search={{ member: presence.name }}
              className="text-sm text-accent underline underline-offset-2"
            >
              Activity
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}
