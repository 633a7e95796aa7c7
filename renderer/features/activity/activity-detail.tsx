/** One row of activity with its bodies, which are loaded when it is opened, however old it is. */

import { useQuery } from '@tanstack/react-query';
import type { ActivityRow } from '#protocol/activity.ts';
import { boundMarks } from '#protocol/combining-marks.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { isRefused } from '../../data/rights.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { NotLoaded } from '../../ui/states.tsx';
import { exactTime } from '../../ui/time.tsx';
import { labelByKind } from './activity-kinds.ts';
import { ExchangeView } from './exchange.tsx';

const titleOf = (label: string, member: string): string =>
  `${label.charAt(0).toUpperCase()}${label.slice(1)} of ${member}`;

function Detail({ row }: { row: ActivityRow }) {
  if (row.event.kind === 'llm_exchange') return <ExchangeView entry={row.event.entry} />;
  return (
    <pre className="font-mono text-sm whitespace-pre-wrap">
      {boundMarks(JSON.stringify(row.event, null, 2))}
    </pre>
  );
}

export interface ActivityDetailProps {
  member: string;
  /** Undefined while none is open. */
  id: number | undefined;
  onClose: () => void;
}

export function ActivityDetail({ member, id, onClose }: ActivityDetailProps) {
  const { client } = useBroker();
  const { data, error, refetch } = useQuery({
    queryKey: keys.activityRow(member, id ?? 0),
    enabled: id !== undefined,
    // An exchange may have megabytes.
    gcTime: 0,
    structuralSharing: false,
    queryFn: () => client.call('activityRow', { params: { name: member, id: String(id) } }),
  });
  const row = id === undefined || isRefused(error) ? undefined : data;
  const label = row === undefined ? 'activity' : labelByKind[row.event.kind].label;
  return (
    <Dialog
      isOpen={id !== undefined}
      onClose={onClose}
      title={titleOf(label, member)}
      description={row && exactTime(row.event.ts)}
      wide
    >
      {row !== undefined ? <Detail row={row} /> : <NotLoaded error={error} onRetry={refetch} rows={4} />}
    </Dialog>
  );
}
