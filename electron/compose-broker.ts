/** Composes the broker of this desktop and the one session that it keeps. */
import { join } from 'node:path';
import process from 'node:process';
import { app } from 'electron';
import { keepToken } from '#client/keep-token.ts';
import type { BrokerClient } from '#protocol/client.ts';
import type { Env } from '#protocol/paths.ts';
import type { Keychain, ListenAt } from '../broker/create-broker.ts';
import { type BrokerHost, createBrokerHost } from './broker-host.ts';
import type { DesktopContext } from './desktop-context.ts';
import { findKeychain } from './key/keychain.ts';
import { sessionClient } from './session-client.ts';
import { createSessionJar, type SessionJar } from './session-jar.ts';
import { createSessionVault } from './session-vault.ts';
import { createTeamDatabase, type TeamDatabase } from './standby/team-database.ts';

export interface HostedBroker {
  host: BrokerHost;
  database: TeamDatabase;
  jar: SessionJar;
  /** Whether the login is kept between starts, because the keychain could be used when the broker started. */
  readonly isSessionKept: boolean;
  /** Acts as the member who is logged in at this desktop. */
  client: BrokerClient;
}

/** `onLost`: another machine may be the active one, so this process must end. */
export function composeBroker(context: DesktopContext, onLost: (reason: string) => void): HostedBroker {
  const { paths, env, built, log, events, quitting } = context;
  let keychain: Keychain | null = null;
  const vault = createSessionVault({
    path: join(paths.configDir, 'desktop-session.safe'),
    keychain: () => keychain,
    log,
  });
  const database = createTeamDatabase({
    path: join(paths.configDir, 'desktop-database.safe'),
    places: paths,
    env,
    keychain: () => keychain,
  });
  quitting.add('session', vault.whenSaved);
  const jar = createSessionJar((value) => {
    vault.save(value);
    events.emit('session', value);
  });
  const host: BrokerHost = createBrokerHost({
    options: {
      configPath: paths.configPath,
      filesRoot: paths.filesRoot,
      dbPath: paths.mainDbPath,
      activityDbPath: paths.activityDbPath,
      telemetryPath: paths.telemetryPath,
      consoleFolder: join(built, 'console'),
      docsFolder: join(app.isPackaged ? process.resourcesPath : join(app.getAppPath(), 'dist'), 'docs'),
      keepToken: (token) =>
        keepToken({ path: paths.authPath, url: host.address, token, say: (sentence) => log.info(sentence) }),
      env,
      log,
    },
    async prepare() {
      keychain = await findKeychain({
        log,
        // The start without the keychain may still be under way.
        onLate: () => void host.startAgain(),
      });
      if (jar.value === null) jar.restore(await vault.load());
      return { keychain, machines: await database.machines() };
    },
    listen: listenAt(env),
    version: app.getVersion(),
    onLost,
    onState: () => events.emit('broker'),
    onNotice: (notice) => log.warn(notice),
  });
  quitting.add('broker', host.stop);
  return {
    host,
    database,
    jar,
    get isSessionKept() {
      return keychain !== null;
    },
    client: sessionClient(host, jar),
  };
}

/** Returns the address that the environment sets, if it is valid. */
function listenAt({ SVC_HOST, SVC_PORT }: Env): ListenAt {
  const port = Number(SVC_PORT);
  return {
    isSecureOptional: true,
    hasNoCommandLine: true,
    ...(SVC_HOST && { host: SVC_HOST }),
    ...(SVC_PORT && Number.isInteger(port) && port >= 0 && port <= 65_535 && { port }),
  };
}
