/** The status of an objective as an icon with a name; its form tells it as well as its color. */
import { CircleCheck, CircleDot, CircleSlash, OctagonPause } from 'lucide-react';
import type { ObjectiveStatus } from '#protocol/objective.ts';
import { Tooltip } from './tooltip.tsx';

const looks = {
  active: [CircleDot, 'text-info'],
  blocked: [OctagonPause, 'text-caution'],
  done: [CircleCheck, 'text-positive'],
  cancelled: [CircleSlash, 'text-faint'],
} as const;

/** Returns the name of a status on the screen; the wire spells it `cancelled`. */
export const nameOfStatus = (status: ObjectiveStatus): string =>
  status === 'cancelled' ? 'canceled' : status;

/** `isNamed`: the name stands beside it. */
export function StatusIcon({ status, isNamed = false }: { status: ObjectiveStatus; isNamed?: boolean }) {
  const [Icon, color] = looks[status];
  const name = nameOfStatus(status);
  const icon = <Icon aria-hidden="true" className={`size-4 ${color}`} />;
  if (isNamed) return icon;
  return (
    <Tooltip text={name}>
      <span role="img" aria-label={name} className="inline-flex shrink-0">
        {icon}
      </span>
    </Tooltip>
  );
}
