/** What enters a build: locked packages, pinned actions of the workflows, and the feed of a packed app. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
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

/** Runs the step with an npm that only prints its arguments. */
async function packedWith(env: Record<string, string>): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-pack-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'npm'), '#!/bin/sh\nprintf "%s\\n" "$@"\n');
  await chmod(join(folder, 'npm'), 0o755);
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '--noprofile', '-e', '-c', packScript()], {
    encoding: 'utf8',
    env: {
      PATH: [folder, process.env.PATH].join(delimiter),
      FEED_URL: '',
      CSC_LINK: '',
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

  it('has no feed by itself', () => {
    expect(textOf('electron-builder.yml')).toMatch(/^publish: null$/m);
  });
});
