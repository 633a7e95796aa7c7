/** The devices that were approved or rejected recently. */
import { useQuery } from '@tanstack/react-query';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';

const toneOf: Record<string, Tone> = { approved: 'positive', rejected: 'critical', expired: 'neutral' };

export function DecidedDevices() {
  const { client } = useBroker();
  const { data, error } = useQuery({
    queryKey: keys.enrollmentHistory,
    queryFn: () => client.call('enrollmentHistory', {}),
  });
  if (error !== null) return <ErrorState error={error} />;
  if (data === undefined) return <ListSkeleton rows={3} />;
  if (data.enrollments.length === 0)
    return <p className="px-4 py-4 text-soft">No device was approved or rejected in the last 30 days.</p>;
  return (
    <ul>
      {data.enrollments.map((one) => (
        <li
          key={`${one.userCode}-${one.createdAt}`}
          className="flex flex-wrap items-center gap-3 border-b border-line px-4 py-2 last:border-0"
        >
          <code className="font-mono text-soft">{one.userCode}</code>
          <span className="min-w-40 flex-1 wrap-anywhere">
            {one.labelHint ?? 'Unnamed device'}
            {one.memberName === null ? '' : ` as ${one.memberName}`}
            {one.reason === null ? '' : `: ${one.reason}`}
          </span>
          <Badge tone={toneOf[one.outcome] ?? 'neutral'}>{one.outcome}</Badge>
          <span className="text-sm text-faint">
            {one.decidedBy === null ? '' : `${one.decidedBy}, `}
            <Time at={one.decidedAt} />
          </span>
        </li>
      ))}
    </ul>
  );
}
