/** Types every command of README.md into a fresh clone, in order, and compares what it promises. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeAt } from '../../broker/testing/test-authenticator.ts';
import { root } from '../testing/build-once.ts';
import { commandsOf } from './blocks.ts';
import { keyboard } from './typed.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'muster-readme-')));
const clone = join(folder, 'muster');
const team = join(folder, 'team');
const prefix = join(folder, 'prefix');
/** The way of this machine to the registry. */
const network = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) =>
    /^npm_config_|_proxy$|_CERTS?$|^SSL_CERT/i.test(name) && value !== undefined ? [[name, value]] : [],
  ),
);
const env = {
  ...network,
  npm_config_userconfig: join(process.env.HOME ?? '', '.npmrc'),
  PATH: [join(prefix, 'bin'), process.env.PATH ?? ''].join(':'),
  HOME: folder,
  TERM: 'xterm',
  SHELL: '/bin/sh',
  npm_config_prefix: prefix,
  // Packages that this machine fetched for its own checkout are not fetched again.
  npm_config_prefer_offline: 'true',
  npm_config_cache: process.env.npm_config_cache ?? join(process.env.HOME ?? '', '.npm'),
  npm_config_update_notifier: 'false',
  SVC_PORT: '0',
};
const inClone = keyboard(clone, env);
const inTeam = keyboard(team, env);

beforeAll(() => {
  mkdirSync(team);
  const made = spawnSync('git', ['clone', '--quiet', '--no-hardlinks', root, clone], { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(made.stderr);
});
afterAll(() => {
  inClone.close();
  inTeam.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const commands = commandsOf('README.md');
const under = (heading: string) =>
  commands.filter((one) => one.heading === heading).map(({ command }) => command);

test.skipIf(process.platform !== 'linux')('README.md does what it says', { timeout: 600_000 }, async () => {
  expect([...new Set(commands.map(({ heading }) => heading))]).toEqual([
    'See it',
    'Install it',
    'Five minutes',
  ]);

  const [install = '', demo = ''] = under('See it');
  await inClone.run(install);
  const shown = inClone.type(demo);
  const [link] = await shown.shows(/http:\/\/127\.0\.0\.1:\d+\/app#login=[\w-]{43}/);
  expect((await fetch(link)).status).toBe(200);
  await shown.interrupt();

  const [release = '', installed = '', setup = '', serve = ''] = under('Install it');
  await inClone.run(release);
  await inClone.run(installed);
  const asking = inTeam.type(setup);
  for (const [question, answer] of [
    [/Team name/, 'Lab'],
    [/Directive/, ''],
    [/Brief/, ''],
    [/Your member name/, 'ada'],
    [/Your title/, ''],
  ] as const) {
    await asking.shows(question);
    asking.answer(answer);
  }
  const [, secret = ''] = await asking.shows(/secret=([A-Z2-7]{32})/);
  asking.answer(codeAt(secret, Date.now()));
  expect(await asking.ended).toBe(0);
  const broker = inTeam.type(serve);
  const [, url = ''] = await broker.shows(/listening on (http:\S+)/);
  Object.assign(env, { SVC_URL: url, SVC_TOKEN: /svc_[\w-]{43}/.exec(asking.said())?.[0] ?? '' });

  const promised: Record<string, RegExp> = {
    'muster login': /#login=/,
    'muster members': /created ben/,
    'muster channels': /release/,
    'muster push': /broadcast delivered/,
    'muster fs': /stored \/ada\/plan\.txt/,
    'muster objectives': /assigned to ben: Ship it/,
  };
  for (const command of under('Five minutes')) {
    if (command.startsWith('muster run')) {
      // The agent itself is not on this machine.
      expect(await inTeam.run(command, 1)).toContain('npm install -g @anthropic-ai/claude-code');
      continue;
    }
    const said = await inTeam.run(command);
    const promise = promised[command.split(' ').slice(0, 2).join(' ')];
    if (promise !== undefined) expect(said).toMatch(promise);
    else expect(command).toMatch(/^echo /);
  }
  await broker.interrupt();
});
