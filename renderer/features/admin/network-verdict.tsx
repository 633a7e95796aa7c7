/** The beginning of Network: who can reach the broker now, and what needs the reader. */
import type { Diagnostics } from '#protocol/diagnostics.ts';
import { useBroker } from '../../data/broker.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { useLanState, useStandbyState } from './bridge-states.ts';
import { ConditionRows } from './condition-list.tsx';
import { reachOf } from './reach.rules.ts';

/** Null until the desktop app has answered. */
export function NetworkVerdict({ listeners, federation }: Pick<Diagnostics, 'listeners' | 'federation'>) {
  const { origin } = useBroker().transport;
  const lan = useLanState();
  const standby = useStandbyState();
  const error = lan.error ?? standby.error;
  if (error !== null) return <ErrorState error={error} />;
  if (lan.data === undefined || standby.data === undefined) return null;
  const lanFault = lan.data?.isOn === false ? lan.data.fault : null;
  const { sentence, conditions } = reachOf({
    ...{ listeners, federation, origin, lanFault },
    standby: standby.data,
  });
  return (
    <div>
      <p className="px-4 py-2">{sentence}</p>
      <ConditionRows conditions={conditions} />
    </div>
  );
}
