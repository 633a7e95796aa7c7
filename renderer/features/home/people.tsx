/** The members of the team; those who are working come first. */
import { Link } from '@tanstack/react-router';
import { type PresenceState, presenceState } from '#protocol/presence-state.ts';
import { useRoster } from '../../data/queries.ts';
import { Avatar, PresenceMark } from '../../ui/avatar.tsx';
import { KindBadge } from '../../ui/kind.tsx';
import { ErrorState, ListSkeleton } from '../../ui/states.tsx';

export function People() {
  const { data: roster, error, refetch } = useRoster();
  if (error !== null && roster === undefined)
    return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (roster === undefined) return <ListSkeleton rows={3} />;
  const presenceByName = new Map(roster.connected.map((presence) => [presence.name as string, presence]));
  const rank: Record<PresenceState, number> = {
    refused: 0,
    'not responding': 1,
    'out of reach': 2,
    working: 3,
    online: 4,
    offline: 5,
  };
  const sorted = [...roster.teammates].sort(
    (a, b) =>
      rank[presenceState(presenceByName.get(a.name))] - rank[presenceState(presenceByName.get(b.name))],
  );
  return (
    <ul className="max-h-80 overflow-y-auto">
      {sorted.map(({ name, role }) => (
        <li key={name}>
          <Link
            to="/app/members/$name"
            params={{ name }}
            className="flex items-center gap-3 px-4 py-1.5 hover:bg-hover"
          >
            <Avatar name={name} />
            <span className="min-w-0 flex-1">
              <span className="block truncate font-medium">{name}</span>
              <span className="block truncate text-sm text-soft">{role.title}</span>
            </span>
            <KindBadge name={name} />
            <PresenceMark presence={presenceByName.get(name)} />
          </Link>
        </li>
      ))}
    </ul>
  );
}
