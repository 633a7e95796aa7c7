import { svcCommand } from '#platform/svc-command.ts';
import { type BrokerError, refusal } from '#protocol/errors.ts';
import type { Log } from '../runtime/log.ts';

export type Damage = ReturnType<typeof createDamage>;

/** Remembers damage in a store. Each unit that finds some logs it once. */
export function createDamage({ store, log }: { store: string; log: Log }) {
  const toldUnits = new Set<string | null>();
  let found: string | null = null;
  return {
    get found() {
      return found;
    },
    refusal: (): BrokerError => refusal('store_damaged', { store }),
    /** `unit`: the unit of work that found it. */
    note(cause: string, unit: string | null = null): void {
      found ??= cause;
      if (toldUnits.has(unit)) return;
      toldUnits.add(unit);
      const facts = { store, cause, ...(unit !== null && { unit }) };
      log.error(
        facts,
        `a store is damaged or cannot be used; stop the broker and run "${svcCommand} repair"`,
      );
    },
  };
}
