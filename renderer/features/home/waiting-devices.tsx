/** The devices that wait for approval. */
import { Link } from '@tanstack/react-router';
import { usePendingEnrollments } from '../../data/queries.ts';
import { Section } from '../../ui/page.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';

export function WaitingDevices() {
  const { data, error, refetch } = usePendingEnrollments();
  if (data === undefined && error !== null)
    return <ErrorState error={error} onRetry={() => void refetch()} />;
  const pending = data?.enrollments ?? [];
  if (pending.length === 0) return null;
  return (
    <Section
      title={`${pending.length} ${pending.length === 1 ? 'device is' : 'devices are'} waiting for approval`}
    >
      <ul>
        {pending.map(({ userCode, labelHint, createdAt }) => (
          <li key={userCode}>
            <Link
              to="/app/devices"
              search={{ code: userCode }}
              className="flex items-center gap-3 px-4 py-2 hover:bg-hover"
            >
              <code className="font-mono font-semibold">{userCode}</code>
              <span className="min-w-0 flex-1 truncate text-soft">{labelHint ?? 'Unnamed device'}</span>
              <span className="text-sm text-faint">
                <Time at={createdAt} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}
