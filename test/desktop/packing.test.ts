/**
 * The packed app: its contents, the files beside it, and the engine's disabled features. The engine itself is
 * a stub.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPackage, extractFile, listPackage } from '@electron/asar';
import { FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTraceReceiver } from '../../broker/tracing/testing/trace-receiver.ts';
import manifest from '../../package.json' with { type: 'json' };
import { builtCommand } from './testing/built-command.ts';
import { builtDesktop } from './testing/built-desktop.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'muster-pack-'));
const sentinel = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';
const fuses = Object.values(FuseV1Options).filter((value) => typeof value === 'number').length;
const app = join(folder, 'out', `linux-${process.arch === 'x64' ? '' : `${process.arch}-`}unpacked`);

interface Validator {
  compile(schema: unknown): { (value: unknown): boolean; errors?: unknown[] | null };
}

async function stubEngine(): Promise<string> {
  const dist = join(folder, 'engine');
  mkdirSync(join(dist, 'resources'), { recursive: true });
  const program = join(dist, 'electron');
  writeFileSync(
    program,
    Buffer.concat([Buffer.from(sentinel), Buffer.from([1, fuses]), Buffer.alloc(fuses, '1')]),
  );
  chmodSync(program, 0o755);
  for (const name of [
    'LICENSE',
    'LICENSES.chromium.html',
    'version',
    'chrome_crashpad_handler',
    'chrome-sandbox',
  ])
    writeFileSync(join(dist, name), '45.4.1');
  mkdirSync(join(folder, 'default'));
  writeFileSync(join(folder, 'default', 'main.js'), '');
  await createPackage(join(folder, 'default'), join(dist, 'resources', 'default_app.asar'));
  return dist;
}

beforeAll(async () => {
  const engine = await stubEngine();
  await builtDesktop();
  await builtCommand();
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules/electron-builder/cli.js'),
      '--linux',
      'dir',
      '--publish',
      'never',
      `--config.electronDist=${engine}`,
      `--config.directories.output=${join(folder, 'out')}`,
    ],
    { cwd: root, encoding: 'utf8', timeout: 170_000 },
  );
  if (status !== 0) throw new Error(stdout + stderr);
}, 180_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('uses only settings that the packer knows in electron-builder.yml', () => {
  // The packer's own check accepts some wrong keys; the plain schema names each of them.
  const ofPacker = createRequire(createRequire(import.meta.url).resolve('app-builder-lib/package.json'));
  const { load } = ofPacker('js-yaml') as { load(text: string): unknown };
  const Ajv = (createRequire(import.meta.url)('ajv') as { default: new (options: object) => Validator })
    .default;
  const ajv = new Ajv({ strict: false, allErrors: true });
  const isValid = ajv.compile(ofPacker('./scheme.json'));
  const settings = load(readFileSync(join(root, 'electron-builder.yml'), 'utf8')) as object;
  isValid(settings);
  expect(isValid.errors ?? []).toEqual([]);
  expect(isValid({ ...settings, nmpRebuild: false })).toBe(false);
});

test('packs the built app and its dependencies into the archive, and no source or test', () => {
  const names = listPackage(join(app, 'resources', 'app.asar'), { isPack: false });
  expect(names).toEqual(
    expect.arrayContaining([
      '/package.json',
      '/dist/desktop/main.js',
      '/dist/desktop/store-thread.js',
      '/dist/desktop/preload.cjs',
      '/dist/desktop/console/index.html',
      '/resources/tray/idle-light@2x.png',
      '/node_modules/fastify/package.json',
      '/node_modules/@opentelemetry/sdk-trace/dist/index.mjs',
    ]),
  );
  expect(names.filter((name) => /^\/(broker|runner|renderer|test|bin|docs|electron)\b/.test(name))).toEqual(
    [],
  );
  expect(
    names.filter((name) => /^\/node_modules\/(electron|vite|react|playwright-core)\//.test(name)),
  ).toEqual([]);
  expect(
    names.filter((name) => /^\/node_modules\/@opentelemetry\/.*\.(?:map|d\.[cm]ts)$/.test(name)),
  ).toEqual([]);
});

test('puts only the native module of this platform beside the archive', () => {
  const prebuilds = join(
    app,
    'resources',
    'app.asar.unpacked',
    'node_modules',
    'better-sqlite3',
    'prebuilds',
  );
  expect(readdirSync(prebuilds)).toEqual([`linux-${process.arch}.node`]);
});

test('puts the command with its own Node beside it, which runs and serves without anything else', async () => {
  const resources = join(app, 'resources');
  expect(readdirSync(join(resources, 'node'))).toEqual(['node']);
  expect(readdirSync(join(resources, 'bin')).sort()).toEqual(['svc', 'svc.cmd']);
  const program = join(resources, 'bin', 'svc');
  const env = { PATH: '/usr/bin:/bin', HOME: folder };
  expect(spawnSync(program, ['--version'], { encoding: 'utf8', env })).toMatchObject({
    status: 0,
    stdout: `${manifest.version}\n`,
  });
  const broker = spawn(program, ['serve', '--port', '0', '--json'], { cwd: folder, env });
  try {
    const [line] = (await once(broker.stdout.setEncoding('utf8'), 'data')) as [string];
    const { listening } = JSON.parse(line.split('\n')[0] ?? '') as { listening: string };
    const page = await fetch(`${listening}/app/`);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('<title>Muster</title>');
  } finally {
    broker.kill();
    await once(broker, 'exit');
  }
  expect(broker.exitCode).toBe(0);
});

test('has traces in the packed command', async () => {
  const collector = await startTraceReceiver();
  const program = join(app, 'resources', 'bin', 'svc');
  const env = {
    PATH: '/usr/bin:/bin',
    HOME: folder,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20key',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_BSP_SCHEDULE_DELAY: '10',
  };
  const broker = spawn(program, ['serve', '--port', '0', '--json'], { cwd: folder, env });
  try {
    const [line] = (await once(broker.stdout.setEncoding('utf8'), 'data')) as [string];
    const { listening } = JSON.parse(line.split('\n')[0] ?? '') as { listening: string };
    await fetch(`${listening}/healthz`);
    await expect.poll(() => collector.spans.map(({ name }) => name)).toContain('GET /healthz');
    expect(collector.spans[0]?.resource).toMatchObject({
      'service.name': 'muster',
      'service.version': manifest.version,
      'deployment.environment.name': 'test',
    });
    expect(collector.requests[0]?.headers['x-key']).toBe('a key');
    expect(collector.faults).toEqual([]);
  } finally {
    broker.kill();
    await once(broker, 'exit');
    await collector.close();
  }
});

test('starts the packed app at the built main file', () => {
  const packed = extractFile(join(app, 'resources', 'app.asar'), 'package.json').toString('utf8');
  expect(JSON.parse(packed)).toMatchObject({ main: 'dist/desktop/main.js' });
});

test('disables the engine’s unsafe features', async () => {
  const wire = await getCurrentFuseWire(
    join(app, readdirSync(app).find((name) => /^muster$/i.test(name)) ?? ''),
  );
  const isOn = (fuse: FuseV1Options) => wire[fuse] === 0x31;
  expect({
    runAsNode: isOn(FuseV1Options.RunAsNode),
    nodeOptions: isOn(FuseV1Options.EnableNodeOptionsEnvironmentVariable),
    inspect: isOn(FuseV1Options.EnableNodeCliInspectArguments),
    filePrivileges: isOn(FuseV1Options.GrantFileProtocolExtraPrivileges),
    cookieEncryption: isOn(FuseV1Options.EnableCookieEncryption),
    integrity: isOn(FuseV1Options.EnableEmbeddedAsarIntegrityValidation),
    onlyAsar: isOn(FuseV1Options.OnlyLoadAppFromAsar),
  }).toEqual({
    runAsNode: false,
    nodeOptions: false,
    inspect: false,
    filePrivileges: false,
    cookieEncryption: true,
    integrity: true,
    onlyAsar: true,
  });
});
