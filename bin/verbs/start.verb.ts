/**
 * `npm start`: the broker with this person's own folders, or the demo
 * (specification/configuration.md#paths).
 */
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Env } from '#protocol/paths.ts';
import { namedStores } from '../broker-place.ts';
import { buildConsoleWhenNeeded } from '../console-build.ts';
import { runDemo } from '../demo/run-demo.ts';
import { openDesktop } from '../open-desktop.ts';
import { ownPaths } from '../own-paths.ts';
import { beginAnew, type ListenValues, listenOptions, runBroker, setupHint } from '../run-broker.ts';
import { defineVerb } from '../verb.ts';
import { noOpen } from './demo.verb.ts';

const defaultLogLevel = 'warn';

export const verb = defineVerb({
  usage: 'npm start -- [options]',
  options: {
    demo: { type: 'boolean', help: 'show a team of people and agents at work, as "muster demo" does' },
    ...noOpen,
    ...beginAnew,
    ...listenOptions,
  },
  run({ values, env }) {
    // A person who says how to listen or to log wants the broker alone.
    const app = Object.keys(values).length === 0 ? openDesktop(env) : null;
    if (app !== null) return app;
    buildConsoleWhenNeeded();
    return values.demo ? runDemo(values, env) : startOwn(values, env);
  },
});

async function startOwn(values: ListenValues, env: Env): Promise<number> {
  const { configPath, filesRoot, ...usual } = ownPaths(env);
  const named = namedStores(configPath, {}, env);
  const mainDbPath = named.main ?? usual.mainDbPath;
  const activityDbPath = named.activity ?? usual.activityDbPath;
  for (const path of [mainDbPath, activityDbPath])
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  return runBroker({
    values,
    env: { ...env },
    configPath,
    filesRoot,
    dbPath: mainDbPath,
    activityDbPath,
    defaultLogLevel,
    setupHint: `${setupHint(configPath)}\nor try a demo team: npm start -- --demo`,
    loginHint: (url) =>
      `log in at ${url}/app with your name and the code of your authenticator app, or use the command line with your token`,
  });
}
