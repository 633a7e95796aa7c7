/**
 * The bridge calls of the first screen with which a machine without a team joins one that several machines have
 * (specification/desktop.md#joining-a-team). Nobody is logged in then, so each call looks itself if there is a team.
 */
import type { Env } from '#protocol/paths.ts';
import { databaseFault, type MachinePlaces, traceOfTeam } from '../../broker/create-broker.ts';
import type { JoinForm } from '../bridge.ts';
import type { BrokerHost } from '../broker-host.ts';
import { Refusal } from '../refusal.ts';
import type { BridgeHandlers } from '../serve-bridge.ts';
import { type DatabaseQuestions, targetOf } from './database-questions.ts';
import type { TeamDatabase } from './team-database.ts';

export interface JoinBridgeDeps {
  host: Pick<BrokerHost, 'setupPage' | 'stop'>;
  database: Pick<TeamDatabase, 'obstacle' | 'prepareJoin'>;
  places: MachinePlaces;
  env: Env;
  questions: DatabaseQuestions;
  /** Ends the app in order and starts it again. */
  restart(): void;
  log: {
    info(details: object, message: string): void;
    error(details: object, message: string): void;
  };
}

const keyInEnvironment =
  'the environment of the app sets a key (SVC_KEK); set SVC_STANDBY_URL there, too, or remove SVC_KEK and start Muster again';

export function joinHandlers(
  deps: JoinBridgeDeps,
): Pick<BridgeHandlers, 'joinObstacle' | 'testJoin' | 'joinTeam'> {
  const { host, database, places, env, restart, log } = deps;
  const { oneAtATime, isConfirmed, allowConnection } = deps.questions;

  /** @throws Refusal on a machine that has anything of a team. */
  async function refuseWithTeam(): Promise<void> {
    if (host.setupPage === null) throw new Refusal('conflict', 'this machine has a team already');
    const trace = await traceOfTeam(places);
    if (trace !== null) throw new Refusal('conflict', trace);
  }

  async function obstacle(): Promise<string | null> {
    await refuseWithTeam();
    return database.obstacle ?? (env.SVC_KEK === undefined ? null : keyInEnvironment);
  }

  /** @throws Refusal if this machine cannot join. */
  async function allowedTarget({ url }: JoinForm) {
    const reason = await obstacle();
    if (reason !== null) throw new Refusal('unavailable', reason);
    return targetOf(url);
  }

  /** @throws Refusal if the database has no team, or one with another key. */
  async function test({ url, address, key }: JoinForm): Promise<void> {
    const { configPath, mainDbPath: dbPath, activityDbPath } = places;
    const check = { url, address, key, configPath, dbPath, activityDbPath, beginsEmpty: true };
    const fault = await databaseFault(check);
    if (fault !== null) throw new Refusal('unavailable', fault);
  }

  async function join({ key, ...settings }: JoinForm): Promise<void> {
    const finish = await database.prepareJoin(settings, key);
    await refuseWithTeam();
    try {
      await host.stop();
      await finish();
      log.info({}, 'this machine joins a team on several machines; the app starts again');
    } catch (error) {
      log.error({ err: error }, 'this machine did not join the team; the app starts again');
    } finally {
      restart();
    }
  }

  return {
    joinObstacle: obstacle,
    testJoin: (form, { page }) =>
      oneAtATime(async () => {
        await allowConnection(page, await allowedTarget(form));
        await test(form);
        return null;
      }),
    joinTeam: (form, { page }) =>
      oneAtATime(async () => {
        const { name, trust } = await allowedTarget(form);
        const question = {
          message: `Join the team in the database ${name}?`,
          detail: `Muster tests the database and the key first. Then it starts again as one more machine of that team: it copies everything of the team, and takes over when no other machine is active.${trust}`,
          act: 'Join and restart',
        };
        if (!(await isConfirmed(page, question))) return false;
        await test(form);
        await join(form);
        return true;
      }),
  };
}
