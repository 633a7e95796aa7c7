/** The way of a program that hosts a broker to its term, if other machines stand by for it. */
import { inMemory } from '#platform/store-places.ts';
import type { BrokerOptions } from '../broker.ts';
import type { DatabaseCheck } from './check-database.ts';
import type { StandbyStatus } from './machines.ts';
import type { StandByOptions } from './stand-by.ts';
import type { Term } from './term.ts';

export { standbyLateMs } from './page-log-statements.ts';

export type TermOptions = Pick<
  StandByOptions,
  'version' | 'at' | 'onListening' | 'onTeam' | 'onLost' | 'signal'
> &
  Pick<BrokerOptions, 'configPath' | 'dbPath' | 'activityDbPath' | 'log'> &
  Required<Pick<BrokerOptions, 'env'>> & {
    /** Names the place of SVC_KEK, for people; by default, the environment. */
    keyPlace?: string | undefined;
  };

/**
 * Resolves when this broker is the active one; with undefined at once if it is the only one, and with null when it
 * was told to stop. @throws StartUpError if it must not stand by.
 */
export async function termOf(options: TermOptions): Promise<Term | null | undefined> {
  const { env, dbPath = inMemory, activityDbPath = inMemory } = options;
  if (!env.SVC_STANDBY_URL) return undefined;
  const { standbySettings } = await import('./standby-settings.ts');
  const settings = standbySettings(env, [dbPath, activityDbPath], options.keyPlace);
  if (settings === null) return undefined;
  const { standBy } = await import('./stand-by.ts');
  return standBy({ ...options, dbPath, activityDbPath, settings });
}

/** Null: no broker has used this database. @throws Error if it cannot be reached. */
export async function readMachines(url: string): Promise<StandbyStatus | null> {
  const { readStandbyStatus } = await import('./machines.ts');
  return readStandbyStatus(url);
}

/** Resolves within 10 seconds to a sentence that says why this machine cannot use the database; null if it can. */
export async function databaseFault(check: DatabaseCheck): Promise<string | null> {
  const { faultOfDatabase } = await import('./check-database.ts');
  return faultOfDatabase(check);
}
