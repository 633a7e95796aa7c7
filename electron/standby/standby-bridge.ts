/** The bridge call that shows the machines that stand by for each other (specification/desktop.md#several-machines). */
import { reasonOf } from '#platform/error-text.ts';
import { readMachines, standbyLateMs } from '../../broker/create-broker.ts';
import type { StandbyView } from '../bridge.ts';
import type { BrokerHost } from '../broker-host.ts';
import { Refusal } from '../refusal.ts';
import type { BridgeHandlers } from '../serve-bridge.ts';
import type { TeamDatabase } from './team-database.ts';

export interface StandbyBridgeDeps {
  host: Pick<BrokerHost, 'state'>;
  database: Pick<TeamDatabase, 'url'>;
}

export function standbyHandlers({ host, database }: StandbyBridgeDeps): Pick<BridgeHandlers, 'standbyState'> {
  let underWay: Promise<StandbyView> | null = null;

  async function view(url: string): Promise<StandbyView> {
    const status = await readMachines(url).catch((error: unknown) => {
      throw new Refusal('unavailable', `the database of the machines cannot be asked: ${reasonOf(error)}`);
    });
    const { active, machines } = status ?? { active: null, machines: [] };
    const role = host.state.kind === 'running' ? 'active' : 'standing by';
    const others = machines.filter(({ name }) => !active?.isConfirmed || name !== active.name);
    return {
      role,
      active: active?.isConfirmed ? { name: active.name, since: active.since, age: active.age ?? 0 } : null,
      others: others.map(({ age, ...machine }) => ({ ...machine, age, isThere: age < standbyLateMs })),
    };
  }

  return {
    async standbyState() {
      if (database.url === null) return null;
      // Several pages may ask; the database is asked once at a time.
      underWay ??= view(database.url).finally(() => {
        underWay = null;
      });
      return underWay;
    },
  };
}
