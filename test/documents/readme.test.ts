/** Types every command of README.md into a fresh clone, in order, and compares what it promises. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeAt } from '../../broker/testing/test-authenticator.ts';
import { root } from '../testing/build-once.ts';
import { commandsOf } from './blocks.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'muster-readme-')));
const clone = join(folder, 'muster');
const team = join(folder, 'team');
const prefix = join(folder, 'prefix');
/** The way of this machine to the registry. */
const network = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => /^npm_config_|_proxy$|_CERTS?$|^SSL_CERT/i.test(name)),
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
const left = new Set<ChildProcess>();

interface Typed {
  child: ChildProcess;
  said(): string;
  shows(pattern: RegExp): Promise<RegExpExecArray>;
  ended: Promise<number | null>;
}

/** Types a command into a terminal of its own. */
function type(command: string, cwd: string): Typed {
  const child = spawn('script', ['-qefc', command, '/dev/null'], { cwd, env });
  left.add(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
  const ended = once(child, 'close').then(([code]) => {
    left.delete(child);
    return code as number | null;
  });
  return {
    child,
    said: () => text,
    async shows(pattern) {
      await expect.poll(() => text, { timeout: 120_000 }).toMatch(pattern);
      const found = pattern.exec(text);
      if (found === null) throw new Error(`"${pattern}" was not shown`);
      return found;
    },
    ended,
  };
}

async function run(command: string, cwd: string): Promise<string> {
  const typed = type(command, cwd);
  const code = await typed.ended;
  if (code !== 0) throw new Error(`${command}: exit code ${code}\n${typed.said()}`);
  return typed.said();
}

beforeAll(() => {
  mkdirSync(team);
  const made = spawnSync('git', ['clone', '--quiet', '--no-hardlinks', root, clone], { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(made.stderr);
});
afterAll(async () => {
  for (const child of left) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Ctrl+C reaches every process of the terminal: that of npm or of a shell may say that it was interrupted. */
const interrupted = [0, 130];

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
  await run(install, clone);
  const shown = type(demo, clone);
  const [link] = await shown.shows(/http:\/\/127\.0\.0\.1:\d+\/app#login=[\w-]{43}/);
  expect((await fetch(link)).status).toBe(200);
  shown.child.stdin?.write('\x03');
  expect(interrupted).toContain(await shown.ended);

  const [release = '', installed = '', setup = '', serve = ''] = under('Install it');
  await run(release, clone);
  await run(installed, clone);
  const asking = type(setup, team);
  for (const [question, answer] of [
    [/Team name/, 'Lab'],
    [/Directive/, ''],
    [/Brief/, ''],
    [/Your member name/, 'ada'],
    [/Your title/, ''],
  ] as const) {
    await asking.shows(question);
    asking.child.stdin?.write(`${answer}\r`);
  }
  const [, secret = ''] = await asking.shows(/secret=([A-Z2-7]{32})/);
  asking.child.stdin?.write(`${codeAt(secret, Date.now())}\r`);
  expect(await asking.ended).toBe(0);
  const broker = type(serve, team);
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
      const agent = type(command, team);
      expect(await agent.ended).toBe(1);
      expect(agent.said()).toContain('npm install -g @anthropic-ai/claude-code');
      continue;
    }
    const said = await run(command, team);
    const promise = promised[command.split(' ').slice(0, 2).join(' ')];
    if (promise !== undefined) expect(said).toMatch(promise);
    else expect(command).toMatch(/^echo /);
  }
  broker.child.stdin?.write('\x03');
  expect(interrupted).toContain(await broker.ended);
});
