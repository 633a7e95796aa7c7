/** The npm package, installed by npm from its file, without a connection and without any install script. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { builtConsole } from '../../test/browser/testing/built-console.ts';
import { builtCommand } from '../../test/desktop/testing/built-command.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'muster-npm-')));
const prefix = join(folder, 'prefix');
const env = { PATH: process.env.PATH ?? '', HOME: folder, npm_config_cache: join(folder, 'cache') };

function npm(cwd: string, ...words: string[]): string {
  const run = spawnSync('npm', [...words, '--offline', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd,
    env,
    encoding: 'utf8',
  });
  if (run.status !== 0) throw new Error(run.stdout + run.stderr);
  return run.stdout;
}

let tarball = '';
beforeAll(async () => {
  await Promise.all([builtCommand(), builtConsole()]);
  // Packed from a copy, because `npm pack` in the checkout builds anew what other tests read.
  const copy = join(folder, 'copy');
  for (const name of [
    'package.json',
    'LICENSE',
    'README.md',
    'bin/muster',
    'bin/own-node.js',
    'dist/command',
    'dist/console',
  ])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  npm(copy, 'pack', '--pack-destination', folder);
  tarball = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '');
  npm(folder, 'install', '--global', '--prefix', prefix, tarball);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const program = (name: string) => join(prefix, 'bin', name);

test('is smaller than 15 MB', () => {
  expect(statSync(tarball).size).toBeLessThan(15_000_000);
});

test('installs one program under two names', () => {
  for (const name of ['muster', 'svc'])
    expect(spawnSync(program(name), ['--version'], { encoding: 'utf8', env })).toMatchObject({
      status: 0,
      stdout: `${manifest.version}\n`,
    });
  const { stderr } = spawnSync(program('muster'), ['roster', '--url', 'http://127.0.0.1:1'], {
    encoding: 'utf8',
    env,
  });
  expect(stderr).toContain('"muster connect"');
});

test('serves the broker and the console, and stores on disk', async () => {
  const cwd = join(folder, 'team');
  mkdirSync(cwd);
  const words = ['setup', '--team', 'Lab', '--admin', 'ada', '--json'];
  expect(spawnSync(program('muster'), words, { cwd, env }).status).toBe(0);
  const stores = ['--db', 'main.db', '--activity-db', 'activity.db'];
  const broker = spawn(program('muster'), ['serve', '--port', '0', '--json', ...stores], { cwd, env });
  try {
    const [line] = (await once(broker.stdout.setEncoding('utf8'), 'data')) as [string];
    const { listening } = JSON.parse(line.split('\n')[0] ?? '') as { listening: string };
    const page = await fetch(`${listening}/app/`);
    expect(await page.text()).toContain('<title>Muster</title>');
    expect(existsSync(join(cwd, 'main.db'))).toBe(true);
  } finally {
    broker.kill();
    await once(broker, 'exit');
  }
  expect(broker.exitCode).toBe(0);
});

const oldNode = ['/usr/bin/node', '/usr/local/bin/node'].find((path) =>
  /^v2[0-3]\./.test(spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout ?? ''),
);

test.skipIf(oldNode === undefined)(
  'runs on an old Node with the optional package, and says so without',
  () => {
    const installed = join(prefix, 'lib/node_modules', manifest.name);
    const run = () =>
      spawnSync(oldNode ?? '', [join(installed, 'bin/muster'), '--version'], { encoding: 'utf8', env });
    expect(run()).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('or install Muster again.'),
    });
    mkdirSync(join(installed, 'node_modules'), { recursive: true });
    symlinkSync(join(root, 'node_modules/node'), join(installed, 'node_modules/node'));
    expect(run()).toMatchObject({ status: 0, stdout: `${manifest.version}\n` });
  },
);
