/** The inputs of a build: locked packages, pinned actions of the workflows, and the feed of a packed app. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

interface LockEntry {
  version?: string;
  resolved?: string;
  integrity?: string;
  link?: boolean;
  dev?: boolean;
  optional?: boolean;
}

/**
 * Programs of development tools for other systems, which were locked where the registry did not have them. They
 * are in no build of the product; `npm audit signatures` checks them where they are installed.
 */
const unhashed = /^node_modules\/(?:@biomejs\/cli-|@oxc-parser\/binding-|@tailwindcss\/oxide-)[a-z0-9-]+$/;

function lockFaults(packages: Readonly<Record<string, LockEntry>>): string[] {
  return Object.entries(packages).flatMap(([path, entry]) => {
    const { link, integrity, resolved, dev, optional } = entry;
    if (path === '' || link) return [];
    if (integrity === undefined && resolved === undefined && dev && optional && unhashed.test(path))
      return [];
    if (!/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? '')) return [`${path} has no integrity`];
    return resolved?.startsWith('https://registry.npmjs.org/') ? [] : [`${path} is not from the registry`];
  });
}

describe('the lock file', () => {
  it('has a hash and the registry’s address for every package', () => {
    const { lockfileVersion, packages } = JSON.parse(textOf('package-lock.json'));
    expect(lockfileVersion).toBe(3);
    expect(lockFaults(packages)).toEqual([]);
  });

  it('would not pass with a package without a hash, with a weak one, or from elsewhere', () => {
    const resolved = 'https://registry.npmjs.org/a/-/a-1.0.0.tgz';
    const integrity = `sha512-${'a'.repeat(86)}==`;
    expect(lockFaults({ 'node_modules/a': { resolved, integrity } })).toEqual([]);
    for (const entry of [
      { resolved },
      { integrity },
      { resolved, integrity: 'sha1-aaaa' },
      { resolved: 'git+ssh://git@example.com/a.git', integrity },
      { dev: true, optional: true },
    ])
      expect(lockFaults({ 'node_modules/a': entry })).toHaveLength(1);
    expect(lockFaults({ 'node_modules/@biomejs/cli-darwin-x64': { optional: true } })).toHaveLength(1);
  });
});

const workflows = readdirSync(join(root, '.github', 'workflows')).map((name) =>
  join('.github', 'workflows', name),
);

describe('a workflow', () => {
  it.each(workflows)('uses actions by their commit, with the version beside it: %s', (path) => {
    const uses = textOf(path)
      .split('\n')
      .filter((line) => /^\s*(?:- )?uses:/.test(line));
    expect(uses.length).toBeGreaterThan(0);
    for (const line of uses) expect(line).toMatch(/uses: [\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it.each(workflows)('has no more than read access to the repository: %s', (path) => {
    expect(textOf(path)).toMatch(/^permissions:\n {2}contents: read\n(?! )/m);
  });
});

/** The script of the step that packs the app, as the workflow has it. */
function packScript(): string {
  const [, step = ''] = textOf('.github/workflows/desktop.yml').split('- name: Pack\n');
  const [, block = ''] = step.split(/^ {8}run: \|\n/m);
  const lines = block.split('\n');
  const end = lines.findIndex((line) => line !== '' && !line.startsWith('          '));
  return lines
    .slice(0, end)
    .map((line) => line.slice(10))
    .join('\n');
}

/** Runs the step with an npm that only prints its arguments, and what the notarization gets. */
async function packedWith(env: Record<string, string>): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-pack-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(
    join(folder, 'npm'),
    '#!/bin/sh\nprintf "%s\\n" "$@"\n[ -z "$APPLE_API_KEY" ] || { stat -c "key %a" "$APPLE_API_KEY"; cat "$APPLE_API_KEY"; }\n',
  );
  await chmod(join(folder, 'npm'), 0o755);
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '--noprofile', '-e', '-c', packScript()], {
    encoding: 'utf8',
    env: {
      PATH: [folder, process.env.PATH].join(delimiter),
      RUNNER_TEMP: folder,
      FEED_URL: '',
      CSC_LINK: '',
      NOTARY_KEY: '',
      AZURE_CLIENT_ID: '',
      AZURE_SIGNING: '',
      ...env,
    },
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return stdout.split('\n');
}

describe('a tagged build', () => {
  const feed = { FEED_URL: 'https://updates.example' };
  const azure = { AZURE_CLIENT_ID: 'id', AZURE_SIGNING: 'https://sign.example account profile Muster' };
  const carried = '-c.publish.url=https://updates.example';

  it.each([
    { what: 'macOS', env: { RUNNER_OS: 'macOS' } },
    { what: 'Windows', env: { RUNNER_OS: 'Windows' } },
    { what: 'Windows with half of the settings', env: { RUNNER_OS: 'Windows', AZURE_CLIENT_ID: 'id' } },
    { what: 'Linux', env: { RUNNER_OS: 'Linux', CSC_LINK: 'x', ...azure } },
  ])('carries no feed if it is unsigned: $what', async ({ env }) => {
    const given = await packedWith({ ...feed, ...env });
    expect(given).toEqual(expect.arrayContaining(['run', 'package', '--publish', 'never']));
    expect(given.join('\n')).not.toContain('publish.');
  });

  it.each([
    { what: 'macOS', env: { RUNNER_OS: 'macOS', CSC_LINK: 'certificate' } },
    { what: 'Windows', env: { RUNNER_OS: 'Windows', ...azure } },
  ])('carries the feed if it is signed: $what', async ({ env }) => {
    expect(await packedWith({ ...feed, ...env })).toContain(carried);
    expect((await packedWith(env)).join('\n')).not.toContain('publish.');
  });

  it('is signed ad hoc for macOS without a certificate, whose fuses would otherwise break the signature', async () => {
    const given = await packedWith({ RUNNER_OS: 'macOS', NOTARY_KEY: 'secret' });
    expect(given).toEqual(
      expect.arrayContaining(['-c.mac.identity=-', '-c.mac.hardenedRuntime=false', '-c.mac.notarize=false']),
    );
    expect(given).not.toContain('secret');
    expect(textOf('electron-builder.yml')).toMatch(/^ {2}resetAdHocDarwinSignature: true$/m);
  });

  // The program that shows the mode of a file differs elsewhere.
  it.runIf(process.platform === 'linux')(
    'gives the key for the notarization as a file that only its owner can read',
    async () => {
      const key = '-----BEGIN PRIVATE KEY-----\nMIG\n-----END PRIVATE KEY-----';
      const given = await packedWith({ RUNNER_OS: 'macOS', CSC_LINK: 'certificate', NOTARY_KEY: key });
      expect(given.slice(given.indexOf('key 600'))).toEqual(['key 600', ...key.split('\n'), '']);
      expect(given.join('\n')).not.toContain('mac.');
      const signedOnly = await packedWith({ RUNNER_OS: 'macOS', CSC_LINK: 'certificate' });
      expect(signedOnly).toContain('-c.mac.notarize=false');
      expect(signedOnly.join('\n')).not.toContain('mac.identity');
    },
  );

  it('has no feed by itself', () => {
    expect(textOf('electron-builder.yml')).toMatch(/^publish: null$/m);
  });
});

describe('the feed of macOS', () => {
  const feed = (name: string) => `version: 1.2.3
files:
  - url: ${name}-mac.zip
    sha512: ${name}==
    size: 5
path: ${name}-mac.zip
sha512: ${name}==
releaseDate: '2026-01-01T00:00:00.000Z'
`;
  const merge = (...words: string[]) =>
    spawnSync(process.execPath, [join(root, 'bin/packing/merge-feeds.ts'), ...words], { encoding: 'utf8' });

  it('is one file with the builds for both processors', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'muster-feeds-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'merged.yml');
    expect(merge(folder, file)).toMatchObject({ status: 0, stdout: 'there is no update feed to merge\n' });
    for (const name of ['Muster-1.2.3-arm64', 'Muster-1.2.3']) {
      await mkdir(join(folder, name));
      await writeFile(join(folder, name, 'latest-mac.yml'), feed(name));
      await writeFile(join(folder, name, 'builder-debug.yml'), 'x: 1');
    }
    expect(merge(folder, file)).toMatchObject({ status: 0, stdout: 'merged 2 update feeds with 2 files\n' });
    expect(readFileSync(file, 'utf8')).toBe(
      feed('Muster-1.2.3').replace(
        'files:\n',
        'files:\n  - url: Muster-1.2.3-arm64-mac.zip\n    sha512: Muster-1.2.3-arm64==\n    size: 5\n',
      ),
    );
    await writeFile(join(folder, 'Muster-1.2.3', 'latest-mac.yml'), 'x: 1');
    expect(merge(folder, file)).toMatchObject({
      status: 1,
      stderr: `merge-feeds: "${join('Muster-1.2.3', 'latest-mac.yml')}" is not an update feed.\n`,
    });
  });
});
