/** The container: rules about its files, and the built package as its image starts it. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../broker/testing/free-port.ts';
import { builtConsole } from '../browser/testing/built-console.ts';
import { builtCommand } from '../desktop/testing/built-command.ts';
import { root } from '../testing/build-once.ts';
import { environmentOf, lastStage, readInstructions, restOf, wordsOf } from './dockerfile.ts';

const stage = lastStage();
const environment = environmentOf(stage);

test('every base image has an exact version', () => {
  const bases = restOf(readInstructions(), 'FROM').map((rest) => rest.split(' ')[0]);
  for (const base of bases) expect(base).toMatch(/^[a-z./]+:\d+\.\d+\.\d+-[a-z-]+$/);
});

test('the image follows the rules for images', () => {
  const all = readInstructions();
  expect(all.filter(({ name }) => name === '')).toEqual([]);
  // ADD unpacks and downloads, sudo and chmod 777 undo the user, and a secret in ENV or ARG stays in the image.
  expect(restOf(all, 'ADD')).toEqual([]);
  expect(all.filter(({ rest }) => /\bsudo\b|chmod (?:-R )?777|curl [^|]*\|/.test(rest))).toEqual([]);
  expect(all.filter(({ name, rest }) => /ENV|ARG/.test(name) && /TOKEN|KEK|PASSWORD/.test(rest))).toEqual([]);
  for (const rest of restOf(all, 'WORKDIR')) expect(rest).toMatch(/^\//);
  expect(restOf(stage, 'USER')).toEqual([expect.stringMatching(/^[1-9]\d*:[1-9]\d*$/)]);
  expect(restOf(stage, 'VOLUME')).toEqual(['/data']);
  expect(restOf(stage, 'EXPOSE')).toEqual(['8717']);
  expect(restOf(stage, 'STOPSIGNAL')).toEqual(['SIGTERM']);
  expect(wordsOf(restOf(stage, 'ENTRYPOINT')[0] ?? '')).toEqual(['muster']);
  const after = stage.slice(stage.findIndex(({ name }) => name === 'USER'));
  expect(after.filter(({ name }) => name === 'RUN' || name === 'COPY')).toEqual([]);
});

test('everything that the team stores is in the volume', () => {
  for (const name of ['SVC_CONFIG_PATH', 'SVC_DB_PATH', 'SVC_ACTIVITY_DB_PATH', 'HOME'])
    expect(environment[name]).toMatch(/^\/data(?:\/|$)/);
});

test('nothing private and nothing that is built gets into the build', () => {
  const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
  expect(ignored).toEqual(expect.arrayContaining(['.git', 'node_modules', 'dist', 'data', 'svc.json*']));
});

interface Compose {
  services: Record<string, { image?: string; ports?: string[]; volumes?: string[]; command?: string[] }>;
}

function readCompose(name: string): Compose {
  const ofPacker = createRequire(createRequire(import.meta.url).resolve('app-builder-lib/package.json'));
  const { load } = ofPacker('js-yaml') as { load(text: string): unknown };
  return load(readFileSync(join(root, name), 'utf8')) as Compose;
}

test('two brokers have volumes of their own, one folder for contents, and a database that no network reaches', () => {
  const { services } = readCompose('compose.several.yml');
  expect(services['muster-two']).toMatchObject({
    extends: { file: 'compose.yml', service: 'muster' },
    environment: { SVC_BROKER_NAME: 'two' },
    volumes: expect.arrayContaining(['team-two:/data', 'files:/data/files']),
  });
  expect(services.muster?.volumes).toContain('files:/data/files');
  expect(services.database).toMatchObject({
    network_mode: 'none',
    command: ['postgres', '-c', 'listen_addresses='],
  });
  expect(services.database?.image).toMatch(/^postgres:\d+\.\d+-/);
  expect(Object.values(services).flatMap(({ ports = [] }) => ports)).toEqual([]);
});

test('compose gives the container no rights and one volume, and opens only the ports of the proxy', () => {
  const file = readCompose('compose.yml');
  expect(file.services.muster).toMatchObject({
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
    volumes: ['team:/data'],
  });
  expect(file.services.muster).not.toHaveProperty('ports');
  expect(file.services.caddy?.ports).toEqual(['80:80', '443:443']);
  expect(file.services.caddy?.image).toMatch(/^caddy:\d+\.\d+\.\d+-/);
});

const folder = mkdtempSync(join(tmpdir(), 'muster-image-'));
const image = join(folder, 'image');
const data = join(folder, 'data');
beforeAll(async () => {
  await Promise.all([builtCommand(), builtConsole()]);
  for (const name of ['bin/muster', 'bin/own-node.js', 'dist', 'package.json'])
    if (name === 'dist')
      for (const part of ['command', 'console'])
        cpSync(join(root, name, part), join(image, name, part), { recursive: true });
    else cpSync(join(root, name), join(image, name), { recursive: true });
  chmodSync(folder, 0o755);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const [user = ''] = (restOf(stage, 'USER')[0] ?? '').split(':');
const canBeOther =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['--mount', 'true']).status === 0;

/**
 * Runs in a mount namespace in which everything but the volume and /tmp is read-only, as the image's user, without
 * rights. `$1` is the folder of the volume.
 */
const asInContainer = `
mount --make-rprivate / && mount --bind "$1" "$1" && mount -o remount,ro,bind / && shift
exec setpriv --reuid ${user} --regid ${user} --clear-groups --no-new-privs --bounding-set=-all "$@"`;

test.skipIf(!canBeOther)(
  'starts as the user of the image on a read-only system, is healthy, and ends cleanly on SIGTERM',
  async () => {
    spawnSync('install', ['-d', '-o', user, '-g', user, '-m', '0700', data]);
    const env = Object.fromEntries(
      Object.entries(environment).map(([name, value]) => [name, value.replace(/^\/data/, data)]),
    );
    const port = await freePort();
    const inContainer = (...words: string[]) => [
      '--mount',
      'sh',
      '-c',
      asInContainer,
      'sh',
      data,
      process.execPath,
      join(image, 'bin/muster'),
      ...words,
    ];
    const options = { cwd: data, env: { ...env, PATH: process.env.PATH } };
    const setup = spawnSync(
      'unshare',
      inContainer('setup', '--team', 'Lab', '--admin', 'ada', '--json'),
      options,
    );
    expect({ status: setup.status, error: `${setup.stderr}` }).toEqual({ status: 0, error: '' });
    const words = wordsOf(restOf(stage, 'CMD')[0] ?? '').map((word) =>
      word === '0.0.0.0' ? '127.0.0.1' : word,
    );
    const broker = spawn('unshare', inContainer(...words, '--port', `${port}`), options);
    const ended = once(broker, 'exit');
    let said = '';
    broker.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    broker.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    try {
      await expect.poll(() => said).toContain(`listening on http://127.0.0.1:${port}`);
      expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
      const [check = ''] = restOf(stage, 'HEALTHCHECK');
      const probe = wordsOf(check.slice(check.indexOf('CMD ') + 4)).map((word) =>
        word.replace('8717', `${port}`),
      );
      expect(spawnSync(process.execPath, probe.slice(1)).status).toBe(0);
      expect(readdirSync(data)).toEqual(expect.arrayContaining(['main.db', 'activity.db', 'svc.json']));
    } finally {
      broker.kill('SIGTERM');
      await ended;
    }
    expect(broker.exitCode).toBe(0);
    expect(existsSync(join(data, 'main.db-wal'))).toBe(false);
  },
);
