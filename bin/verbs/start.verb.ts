/**
 * `npm start`: the broker with this person's own folders, or with a demo team
 * (specification/configuration.md#paths).
 */
import { mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { svcCommand } from '#platform/svc-command.ts';
import type { Env } from '#protocol/paths.ts';
import { buildConsoleWhenNeeded } from '../console-build.ts';
import { type DemoName, openDemoTeam } from '../demo-team.ts';
import { openDesktop } from '../open-desktop.ts';
import { print, remark } from '../output.ts';
import { ownPaths } from '../own-paths.ts';
import { type ListenValues, listenOptions, runBroker, setupHint } from '../run-broker.ts';
import { withVariable } from '../shell-line.ts';
import { defineVerb } from '../verb.ts';

const defaultLogLevel = 'warn';
const demoPorts = 20;

export const verb = defineVerb({
  usage: 'npm start -- [options]',
  options: {
    demo: {
      type: 'boolean',
      help: 'run a demo team of three in its own folder, which is kept for the next time',
    },
    'demo-dir': {
      type: 'string',
      value: '<folder>',
      help: 'folder of the demo team (default: "demo" in the data folder)',
    },
    ...listenOptions,
  },
  run({ values, env }) {
    // A person who says how to listen or to log wants the broker alone.
    const app = Object.keys(values).length === 0 ? openDesktop(env) : null;
    if (app !== null) return app;
    buildConsoleWhenNeeded();
    return values.demo || values['demo-dir'] ? startDemo(values, env) : startOwn(values, env);
  },
});

async function startOwn(values: ListenValues, env: Env): Promise<number> {
  const { configPath, filesRoot, mainDbPath, activityDbPath } = ownPaths(env);
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
  });
}

async function startDemo(values: ListenValues & { 'demo-dir'?: string }, env: Env): Promise<number> {
  const folder = resolve(values['demo-dir'] || join(ownPaths(env).dataDir, 'demo'));
  const team = await openDemoTeam(folder);
  const chat = (name: DemoName, other: DemoName) =>
    withVariable('SVC_AUTH_CONFIG_PATH', team.authPath(name), `${svcCommand} chat --with ${other}`);
  return runBroker({
    values,
    env: { SVC_HOST: env.SVC_HOST, SVC_PORT: env.SVC_PORT },
    configPath: team.configPath,
    dbPath: team.dbPath,
    activityDbPath: team.activityDbPath,
    defaultLogLevel,
    setupHint: '',
    portsTried: demoPorts,
    async onListening(url) {
      await team.pointAt(url);
      const say = values.json ? remark : print;
      say(
        `\nThe demo team (ada, ben, cy) is in ${folder}. Run each of these commands in its own terminal, in ${process.cwd()}:`,
      );
      for (const line of [...chat('ada', 'ben'), ...chat('ben', 'ada')]) say(`  ${line}`);
    },
  });
}
