/**
 * The bridge calls that name the database of several machines. The page never gets the address back; the person confirms
 * each host in a dialog of the app.
 */
import { reasonOf } from '#platform/error-text.ts';
import type { AppPaths } from '#protocol/paths.ts';
import { databaseFault, forgetCopy, readMachines, standbyLateMs } from '../../broker/create-broker.ts';
import type { DatabaseForm } from '../bridge.ts';
import type { BrokerHost } from '../broker-host.ts';
import { notHere, Refusal } from '../refusal.ts';
import type { BridgeHandlers } from '../serve-bridge.ts';
import { placeOf } from './database-address.rules.ts';
import { type DatabaseQuestions, type DatabaseTarget, targetOf } from './database-questions.ts';
import type { TeamDatabase } from './team-database.ts';

export interface DatabaseBridgeDeps {
  host: Pick<BrokerHost, 'state' | 'stop'>;
  database: TeamDatabase;
  paths: Pick<AppPaths, 'configPath' | 'mainDbPath' | 'activityDbPath'>;
  questions: DatabaseQuestions;
  /** Ends the app in order and starts it again. */
  restart(): void;
  log: {
    info(details: object, message: string): void;
    error(details: object, message: string): void;
  };
}

const restarts = 'Muster ends, with the agents that it runs, and starts again.';

export function databaseHandlers(
  deps: DatabaseBridgeDeps,
): Pick<BridgeHandlers, 'databaseState' | 'testDatabase' | 'nameDatabase' | 'leaveDatabase'> {
  const { host, database, paths, restart, log } = deps;
  const { oneAtATime, isConfirmed, allowConnection } = deps.questions;
  const { refuseWithOthers, becomeTheOnlyOne } = wayBack(deps);
  /** @throws Refusal if the app takes no such database. */
  function allowedTarget({ url }: DatabaseForm): DatabaseTarget {
    if (database.obstacle !== null) throw new Refusal('unavailable', database.obstacle);
    return targetOf(url);
  }

  /** @throws Refusal if this machine cannot use the database. */
  async function test(form: DatabaseForm): Promise<void> {
    const { SVC_KEK: key = '' } = await database.variablesFor(form);
    const { configPath, mainDbPath: dbPath, activityDbPath } = paths;
    const fault = await databaseFault({ ...form, key, configPath, dbPath, activityDbPath });
    if (fault !== null) throw new Refusal('unavailable', fault);
  }

  return {
    databaseState() {
      const { source, url, kept, obstacle } = database;
      return {
        source,
        place: url === null ? null : placeOf(url),
        name: kept?.name ?? null,
        address: kept?.address ?? null,
        obstacle,
      };
    },
    testDatabase: (form, { page }) =>
      oneAtATime(async () => {
        await allowConnection(page, allowedTarget(form));
        await test(form);
        return null;
      }),
    nameDatabase: (form, { page, member }) =>
      oneAtATime(async () => {
        const { name, trust } = allowedTarget(form);
        const question = {
          message: `Keep this team in the database ${name}, too?`,
          detail: `Muster tests the database first. Then ${restarts} From then on, nothing is answered while the database cannot be reached.${trust}`,
          act: 'Save and restart',
        };
        if (!(await isConfirmed(page, question))) return false;
        await test(form);
        await database.keep(form);
        log.info({ member }, 'the database of the team was named; the app starts again');
        restart();
        return true;
      }),
    leaveDatabase: (_nothing, { page, member }) =>
      oneAtATime(async () => {
        if (database.source === null) throw new Refusal('conflict', 'this machine is the only one already');
        if (database.source === 'environment')
          throw new Refusal('conflict', database.obstacle ?? 'the environment names the database');
        if (host.state.kind !== 'running') throw notHere(host.state);
        await refuseWithOthers();
        const question = {
          message: 'Go back to one machine?',
          detail: `Everything of the team stays on this machine. ${restarts} Never start Muster on another machine with this database again: two machines would answer, each with a team of its own. To use several machines later, name an empty database.`,
          act: 'Go back and restart',
        };
        if (!(await isConfirmed(page, question))) return false;
        await refuseWithOthers();
        await becomeTheOnlyOne(member);
        return true;
      }),
  };
}

/** From several machines to one. */
function wayBack({
  host,
  database,
  paths,
  restart,
  log,
}: Pick<DatabaseBridgeDeps, 'host' | 'database' | 'paths' | 'restart' | 'log'>) {
  /** Why this machine must not go back to be the only one; null if it may. */
  async function otherMachine(isActiveHere: boolean): Promise<string | null> {
    const status = await readMachines(database.url ?? '');
    const { active, machines } = status ?? { active: null, machines: [] };
    // The active machine does not say so, and another one may have its name.
    const other = machines.find(({ age }) => age < standbyLateMs);
    if (other !== undefined) return other.name;
    return !isActiveHere && active?.isConfirmed ? active.name : null;
  }

  async function refuseWithOthers(): Promise<void> {
    const other = await otherMachine(true).catch((error: unknown) => {
      throw new Refusal('unavailable', `the database of the machines cannot be asked: ${reasonOf(error)}`);
    });
    if (other !== null)
      throw new Refusal(
        'conflict',
        `“${other}” said less than 5 seconds ago that it stands by, and it would take over; quit Muster on all other machines, wait 5 seconds, and try again`,
      );
  }

  /** The stores here have everything when they are closed. */
  async function becomeTheOnlyOne(member: string): Promise<void> {
    try {
      await host.stop();
      const other = await otherMachine(false);
      if (other !== null) throw new Error(`"${other}" took over`);
      await database.forget();
      for (const store of [paths.mainDbPath, paths.activityDbPath]) await forgetCopy(store);
      log.info({ member }, 'this machine is the only one from now on; the app starts again');
    } catch (error) {
      log.error({ member, err: error }, 'this machine is still one of several; the app starts again');
    } finally {
      restart();
    }
  }

  return { refuseWithOthers, becomeTheOnlyOne };
}
