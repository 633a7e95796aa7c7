import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { chooseNode } from './own-node.js';
import { it as inHome } from './testing/home-test.ts';

describe('the Node that runs everything', () => {
  const [running, installed] = ['/usr/bin/node', '/checkout/node'];
  it.each([
    {
      what: 'an installed one that runs',
      runningVersion: 'v20.20.2',
      version: 'v26.10.0',
      chosen: installed,
    },
    {
      what: 'an installed one before a new one',
      runningVersion: 'v26.1.0',
      version: 'v26.10.0',
      chosen: installed,
    },
    {
      what: 'a new one if none is installed',
      runningVersion: 'v24.0.0',
      version: undefined,
      chosen: running,
    },
    {
      what: 'a new one if the installed one does not run',
      runningVersion: 'v24.9.1',
      version: null,
      chosen: running,
    },
    {
      what: 'a new one if the installed one is old',
      runningVersion: 'v25.0.0',
      version: 'v22.0.0',
      chosen: running,
    },
    {
      what: 'none if it is old and none is installed',
      runningVersion: 'v23.11.1',
      version: undefined,
      chosen: null,
    },
    {
      what: 'none if it is old and the installed one does not run',
      runningVersion: 'v20.0.0',
      version: null,
      chosen: null,
    },
  ])('is $what', ({ runningVersion, version, chosen }) => {
    const place = version === undefined ? null : installed;
    expect(
      chooseNode({ running, runningVersion, installed: place, installedVersion: () => version ?? null }),
    ).toBe(chosen);
  });

  it('is the running one, without asking it, if that is the installed one', () => {
    const installedVersion = () => {
      throw new Error('it was started');
    };
    const choice = { running: installed, runningVersion: 'v26.10.0', installed, installedVersion };
    expect(chooseNode(choice)).toBe(installed);
  });
});

/** A Node on this machine that is too old; null if there is none. */
const oldNode =
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'node'))
    .find((path) => {
      const { status, stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
      return status === 0 && Number.parseInt(stdout.slice(1), 10) < 24;
    }) ?? null;

describe.skipIf(process.platform === 'win32')('a checkout', () => {
  let folder: string;
  const script = () => join(folder, 'told.ts');
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'muster-checkout-')));
    mkdirSync(join(folder, 'bin'));
    for (const name of ['own-node.js', 'on-node.js'])
      copyFileSync(join(import.meta.dirname, name), join(folder, 'bin', name));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, 'bin', 'entry.js'), 'console.log("ran");\n');
    writeFileSync(
      script(),
      'const [node, ...words]: string[] = process.argv;\nconsole.log(JSON.stringify([node, ...words]));\nprocess.exitCode = 7;\n',
    );
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Puts this program, or this text as a program, in the place of the package `node`. */
  function install(program: string | { text: string } | null): string {
    const place = join(folder, 'node_modules', 'node', 'bin');
    mkdirSync(place, { recursive: true });
    const path = join(place, 'node');
    if (typeof program === 'string') symlinkSync(program, path);
    else if (program !== null) writeFileSync(path, program.text);
    if (program !== null) chmodSync(path, 0o755);
    return path;
  }
  const run = (node: string, ...args: string[]) =>
    spawnSync(node, [join(folder, 'bin', 'on-node.js'), ...args], { encoding: 'utf8', cwd: folder });
  /** A program that runs this Node, but is another file. */
  const otherNode = () => ({ text: `#!/bin/sh\nexec '${process.execPath}' "$@"\n` });

  it('runs a script in the same process if that has the right Node', () => {
    const { status, stdout } = run(process.execPath, 'told.ts', 'a', '--b');
    expect(status).toBe(7);
    expect(JSON.parse(stdout)).toEqual([process.execPath, script(), 'a', '--b']);
  });

  it('hands a script over to the installed Node, in the place of its process, with its arguments and its exit code', () => {
    install({
      text: `#!/bin/sh\n[ "$1" = --version ] && exec '${process.execPath}' --version\necho "$$ $2 $3"\nexit 9\n`,
    });
    const { status, stdout, stderr, pid } = run(process.execPath, 'told.ts', 'a');
    expect({ status, stdout, stderr }).toEqual({ status: 9, stdout: `${pid} a \n`, stderr: '' });
  });

  it.each([
    { what: 'has no program, because its install script did not run', program: null },
    { what: 'does not run', program: { text: '#!/bin/sh\nexit 127\n' } },
    { what: 'is not a program', program: { text: 'This file intentionally left blank' } },
  ])('uses the running Node if the package $what', ({ program }) => {
    install(program);
    expect(run(process.execPath, 'told.ts').status).toBe(7);
    expect(run(process.execPath, '--version').stdout).toBe(`${process.version}\n`);
  });

  it('chooses once, even if the installed program is only a script that starts another Node', () => {
    copyFileSync(join(import.meta.dirname, 'muster'), join(folder, 'bin', 'muster'));
    install(otherNode());
    const { status, stdout } = spawnSync(process.execPath, [join(folder, 'bin', 'muster')], {
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'ran\n' });
  });

  it.skipIf(oldNode === null)('runs on an old Node with the package', () => {
    install(otherNode());
    const { status, stdout } = run(oldNode ?? '', 'told.ts', 'a');
    expect(status).toBe(7);
    expect(JSON.parse(stdout)).toEqual([process.execPath, script(), 'a']);
    expect(run(oldNode ?? '', '--version').stdout).toBe(`${process.version}\n`);
  });

  it.skipIf(oldNode === null)('says in one line what to install on an old Node without the package', () => {
    for (const word of ['told.ts', '--version']) {
      const { status, stdout, stderr } = run(oldNode ?? '', word);
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
      expect(stderr).toMatch(
        /^muster: Node 24 or newer is required, but this is v\d+\.\d+\.\d+, and ".*" contains none that runs\. Install Node 26 from https:\/\/nodejs\.org, or run "npm ci" in that folder again\.\n$/,
      );
      expect(stderr).toContain(`"${folder}"`);
    }
  });

  it.skipIf(oldNode === null)('says why the package does not run on an old Node', () => {
    install({ text: '#!/bin/sh\necho "libatomic.so.1: cannot open shared object file" >&2\nexit 127\n' });
    expect(run(oldNode ?? '', 'told.ts').stderr).toContain(
      'contains none that runs (libatomic.so.1: cannot open shared object file). Install',
    );
  });
});

describe.skipIf(oldNode === null || process.platform === 'win32')('on an old Node with the package', () => {
  const root = join(import.meta.dirname, '..');
  const isInstalled = spawnSync(join(root, 'node_modules/node/bin/node'), ['--version']).status === 0;
  const env = { PATH: '/usr/bin:/bin' };

  inHome.skipIf(!isInstalled)('svc keeps output and exit codes', ({ home }) => {
    const svc = (...args: string[]) =>
      spawnSync(oldNode ?? '', [join(root, 'bin/muster'), ...args], { encoding: 'utf8', env: home.env });
    expect(svc('--version')).toMatchObject({ status: 0, stdout: `${manifest.version}\n` });
    expect(svc('pusg').status).toBe(64);
  });

  inHome.skipIf(!isInstalled)('npm start runs, and a signal reaches it', async ({ home }) => {
    const words = [join(root, 'bin/on-node.js'), join(root, 'bin/start.ts'), '--port', '0'];
    const broker = home.startScript(['--input-type=module', '-e', handOver, oldNode ?? '', ...words], env);
    await broker.shows('/setup#key=');
    broker.child.kill('SIGTERM');
    expect(await broker.ended).toMatchObject({ code: 0 });
  });
});

/** Starts another program in the place of this one, and passes the signal on, as a shell would. */
const handOver = `
import { spawn } from 'node:child_process';
const child = spawn(process.argv[1], process.argv.slice(2), { stdio: 'inherit' });
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('exit', (code) => process.exit(code ?? 1));
`;
