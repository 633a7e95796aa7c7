/**
 * The packed app: its contents, the files beside it, and the engine's disabled features. The engine itself is
 * a stub.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPackage, extractAll, extractFile, listPackage } from '@electron/asar';
import { FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../broker/testing/free-port.ts';
import { startTraceReceiver } from '../../broker/tracing/testing/trace-receiver.ts';
import manifest from '../../package.json' with { type: 'json' };
import { builtDocs } from '../testing/built-docs.ts';
import { builtCommand } from './testing/built-command.ts';
import { builtDesktop } from './testing/built-desktop.ts';
import { startDesktop } from './testing/desktop-app.ts';
import { until } from './testing/until.ts';

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
  await builtDocs();
  const license = join(folder, 'node-license.txt');
  writeFileSync(license, 'The license of Node\n');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      join(root, 'bin/packing/package.ts'),
      '--built',
      '--node',
      process.execPath,
      '--node-license',
      license,
      '--linux',
      'dir',
      '--publish',
      'never',
      `--config.electronDist=${engine}`,
      `--config.directories.output=${join(folder, 'out')}`,
    ],
    { cwd: root, encoding: 'utf8', timeout: 280_000 },
  );
  if (status !== 0) throw new Error(stdout + stderr);
});

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

const archive = join(app, 'resources', 'app.asar');
const native = `/node_modules/better-sqlite3/prebuilds/linux-${process.arch}.node`;

test('the AppImage keeps the sandbox in its desktop entry', async () => {
  const ofPacker = createRequire(createRequire(import.meta.url).resolve('app-builder-lib/package.json'));
  const { load } = ofPacker('js-yaml') as { load(text: string): { linux: object } };
  const { default: AppImageTarget } = ofPacker('./out/targets/appimage/AppImageTarget.js') as {
    default: new (
      name: string,
      packager: object,
      helper: object,
      folder: string,
    ) => { desktopEntry: { value: Promise<string> } };
  };
  const config = load(readFileSync(join(root, 'electron-builder.yml'), 'utf8'));
  const packager = { config, platformSpecificBuildOptions: config.linux, appInfo: { buildVersion: '1' } };
  const helper = { computeDesktopEntry: async (_options: object, line: string) => line };
  expect(await new AppImageTarget('', packager, helper, '').desktopEntry.value).toBe('AppRun %U');
});

test('packs the built app into the archive, and no source, test, or package that is in its bundles', () => {
  const names = listPackage(archive, { isPack: false });
  expect(names).toEqual(
    expect.arrayContaining([
      '/package.json',
      '/dist/desktop/main.js',
      '/dist/desktop/store-thread.js',
      '/dist/desktop/fold-thread.js',
      '/dist/desktop/preload.cjs',
      '/dist/desktop/console/index.html',
      '/resources/tray/idle-light@2x.png',
      native,
    ]),
  );
  const others = names.filter(
    (name) => !/^\/(?:package\.json|dist|resources|node_modules)(?:\/|$)/.test(name),
  );
  expect(others).toEqual([]);
  const packages = names.flatMap((name) => /^\/node_modules\/([^/]+)/.exec(name)?.[1] ?? []);
  expect(new Set(packages)).toEqual(new Set(['better-sqlite3']));
  expect(names.filter((name) => /\.(?:map|ts|test\.js)$/.test(name))).toEqual([]);
  expect(names.length).toBeLessThan(400);
  expect(statSync(archive).size).toBeLessThan(8 * 2 ** 20);
});

test('puts only the native module of this platform beside the archive, from which alone the engine loads it', () => {
  const unpacked = `${archive}.unpacked`;
  const files = readdirSync(unpacked, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(unpacked.length));
  expect(files).toEqual([native]);
  const unpackedInside = listPackage(archive, { isPack: true })
    .filter((line) => line.startsWith('unpack'))
    .map((line) => line.replace(/^unpack\s*:\s*/, ''));
  expect(unpackedInside.filter((name) => name.endsWith('.node'))).toEqual([native]);
});

/** Lays out the files that the engine reads through the archive: its files, and in the place of the unpacked ones links to them. */
function laidOut(): string {
  const tree = mkdtempSync(join(folder, 'tree-'));
  extractAll(archive, tree);
  rmSync(join(tree, native));
  symlinkSync(join(`${archive}.unpacked`, native), join(tree, native));
  return tree;
}

test('starts from the files in the archive: its store threads write, and its broker answers', async () => {
  const port = await freePort();
  const desktop = await startDesktop({ appPath: laidOut(), env: { SVC_PORT: String(port) } });
  try {
    const health = await until(() => fetch(`http://127.0.0.1:${port}/healthz`));
    expect(health.status).toBe(200);
    const stores = await until(() => readdirSync(desktop.paths.dataDir));
    expect(stores).toEqual(expect.arrayContaining(['main.db', 'activity.db']));
  } finally {
    await desktop.close();
  }
});

/** The files that a module in the archive or in the command loads at once, itself included. */
function loadedWith(read: (name: string) => string, entry: string): string[] {
  const found = [entry];
  for (const name of found)
    for (const [, next = ''] of read(name).matchAll(/^import (?:[^;]*? from )?"(\.[^"]+)";$/gm)) {
      const path = posix.join(posix.dirname(name), next);
      if (!found.includes(path)) found.push(path);
    }
  return found;
}

test('store threads load no package at once but that of the store, in the app and in the command', () => {
  const places = [
    {
      read: (name: string) => extractFile(archive, name).toString('utf8'),
      names: listPackage(archive, { isPack: false }).map((name) => name.slice(1)),
      whole: 'dist/desktop/main.js',
    },
    {
      read: (name: string) => readFileSync(join(app, 'resources', 'command', name), 'utf8'),
      names: readdirSync(join(app, 'resources', 'command')),
      whole:
        readdirSync(join(app, 'resources', 'command')).find((name) => /^serve\.verb-.*\.js$/.test(name)) ??
        '',
    },
  ];
  for (const { read, names, whole } of places) {
    const packagesOf = (entry: string) => [
      ...new Set(
        loadedWith(read, entry).flatMap((name) =>
          [...read(name).matchAll(/^\/\/ node_modules\/((?:@[^/]+\/)?[^/]+)/gm)].map(([, one]) => one),
        ),
      ),
    ];
    for (const module of [/store-thread\.js$/, /main-store-[^/]+\.js$/, /activity-store-[^/]+\.js$/]) {
      const entry = names.find((name) => module.test(name)) ?? '';
      expect({ entry, packages: packagesOf(entry) }).toEqual({
        entry: expect.stringMatching(module),
        packages: [],
      });
    }
    // The packages of the broker itself are found in this way.
    expect(packagesOf(whole)).toEqual(expect.arrayContaining(['fastify', 'zod']));
  }
});

test('has everything that it imports in its bundles, except what the engine and Node provide', () => {
  const texts = [
    ...listPackage(archive, { isPack: false })
      .filter((name) => /^\/dist\/desktop\/(?!console\/).*\.c?js$/.test(name))
      .map((name) => extractFile(archive, name.slice(1)).toString('utf8')),
    ...readdirSync(join(app, 'resources', 'command'))
      .filter((name) => name.endsWith('.js'))
      .map((name) => readFileSync(join(app, 'resources', 'command', name), 'utf8')),
  ];
  const named = texts.flatMap((text) =>
    [
      ...text.matchAll(
        /^(?:import|export) [^;]*?from "([^".][^"]*)";|\b(?:__require|import)\("([^".][^"]*)"\)/gm,
      ),
    ].map(([, from, called]) => from ?? called ?? ''),
  );
  // A plain require is in texts only, which ajv can write as programs.
  const others = named.filter((name) => !isBuiltin(name));
  expect([...new Set(others)].sort()).toEqual(['better-sqlite3', 'electron']);
  // The command finds the package of the store in its own folder.
  const command = join(app, 'resources', 'command');
  expect(readdirSync(join(command, 'better-sqlite3', 'prebuilds'))).toEqual([`linux-${process.arch}.node`]);
});

test('has an updater that loads from the bundle', () => {
  const loader = join(root, 'test/desktop/testing/load-updater.ts');
  const run = spawnSync(process.execPath, [loader, join(laidOut(), 'dist', 'desktop')], { encoding: 'utf8' });
  expect(run).toMatchObject({ status: 0, stdout: 'AppImageUpdater\n' });
});

test('puts the licenses of Muster, Node, and every package in a bundle beside the archive', () => {
  const text = (name: string) => readFileSync(join(app, 'resources', 'licenses', name), 'utf8');
  expect(text('muster.txt')).toBe(readFileSync(join(root, 'LICENSE'), 'utf8'));
  expect(text('node.txt')).toBe('The license of Node\n');
  const notices = text('third-party.txt');
  for (const name of [
    'better-sqlite3',
    'electron-updater',
    'fastify',
    'react',
    'tailwindcss',
    'web-push',
    'zod',
  ])
    expect(notices).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+\nLicense: `, 'm'));
});

test('puts the command with its own Node beside it, which runs and serves without anything else', async () => {
  const resources = join(app, 'resources');
  expect(readdirSync(join(resources, 'node'))).toEqual(['node']);
  expect(readdirSync(join(resources, 'bin')).sort()).toEqual(['muster', 'muster.cmd', 'svc', 'svc.cmd']);
  expect(readdirSync(app).filter((name) => name.startsWith('muster'))).toEqual(['muster-desktop']);
  const program = join(resources, 'bin', 'muster');
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
    const docs = await fetch(`${listening}/docs/`);
    expect(docs.status).toBe(200);
    expect(await docs.text()).toContain('/docs/assets/');
  } finally {
    broker.kill();
    await once(broker, 'exit');
  }
  expect(broker.exitCode).toBe(0);
});

test('has traces in the packed command', async () => {
  const collector = await startTraceReceiver();
  const program = join(app, 'resources', 'bin', 'muster');
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
  const wire = await getCurrentFuseWire(join(app, 'muster-desktop'));
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
