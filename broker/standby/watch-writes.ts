/** An active broker whose stores take nothing anymore, for example because its disk is full, hands over to another machine. */
import type { Log } from '../runtime/log.ts';
import { readStandbyStatus } from './machines.ts';
import { standbyLateMs } from './page-log-statements.ts';
import { sayOnce } from './say-once.ts';
import type { StandbySettings } from './standby-settings.ts';

export interface WriteWatch {
  /** Whether the file of a store took what was to be written. */
  note(store: string, isTaken: boolean): void;
  end(): void;
}

/** Space may be freed in the meantime. */
const patienceMs = 30_000;
const lookMs = 2000;

/** Calls `onHandOver` once, with the reason, when a store has refused to write for 30 s and another machine has everything. */
export function watchWrites(
  { url, name }: Pick<StandbySettings, 'url' | 'name'>,
  log: Log,
  onHandOver: (reason: string) => Promise<void>,
): WriteWatch {
  const refusedSince = new Map<string, number>();
  const say = sayOnce((reason) => {
    if (reason !== null) log.error({ stores: [...refusedSince.keys()] }, reason);
  });
  let isLooking = false;

  async function look(): Promise<void> {
    const now = performance.now();
    if (refusedSince.size === 0) say(null);
    if (![...refusedSince.values()].some((since) => now - since > patienceMs)) return;
    const machines = await readStandbyStatus(url).then(
      (status) => status?.machines ?? [],
      () => [],
    );
    if (refusedSince.size === 0) return;
    const isThere = machines.some(
      (machine) => machine.name !== name && machine.isComplete && machine.age < standbyLateMs,
    );
    if (!isThere) {
      say('nothing can be written here, and no other machine has everything, so this one stays active');
      return;
    }
    clearInterval(timer);
    await onHandOver('nothing can be written here, and another machine has everything');
  }

  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void look().finally(() => {
      isLooking = false;
    });
  }, lookMs).unref();

  return {
    note(store, isTaken) {
      if (isTaken) refusedSince.delete(store);
      else if (!refusedSince.has(store)) refusedSince.set(store, performance.now());
    },
    end: () => clearInterval(timer),
  };
}
