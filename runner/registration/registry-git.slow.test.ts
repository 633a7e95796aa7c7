/** The real git's view of a run. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recoverRegistry, registerBridge } from './registry-file.ts';

let folder: string;
let repository: string;
const bridge = {
  command: 'node',
  args: ['svc', 'mcp-bridge'],
  env: { SVC_RUNNER_SOCKET: '/s', SVC_RUNNER_KEY: 'key-of-the-run' },
};
const secret = '{"mcpServers":{"other":{"command":"x","env":{"TOKEN":"token-of-a-person"}}}}';

const git = (cwd: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], {
    cwd,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
  });
const register = (cwd: string) =>
  registerBridge({ cwd, member: 'ben', bridge, keptDir: join(folder, 'kept') });
/** Everything that commits of any branch contain, as text. */
const committed = (): string => git(repository, 'log', '--all', '-p', '--root');
const status = (cwd: string): string => git(cwd, 'status', '--porcelain');
const agentCommits = (cwd: string): void => {
  writeFileSync(join(cwd, 'work.txt'), `${Math.random()}`);
  git(cwd, 'add', '-A');
  git(cwd, 'commit', '-qm', 'work of the agent');
};

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'muster-git-')));
  repository = join(folder, 'repository');
  mkdirSync(repository);
  git(repository, 'init', '-q', '-b', 'main');
  git(repository, 'commit', '-q', '--allow-empty', '-m', 'first');
});
afterEach(() => rmSync(folder, { recursive: true }));

it('starts no program that the folder names, and gives git no token', () => {
  const proof = join(folder, 'proof');
  git(repository, 'config', 'core.fsmonitor', `echo "$SVC_TOKEN" >> '${proof}'; false`);
  writeFileSync(join(repository, 'work.txt'), '1');
  git(repository, 'add', '-A');
  git(repository, 'update-index', '--fsmonitor');
  rmSync(proof, { force: true });
  register(repository).restore();
  expect(existsSync(proof)).toBe(false);
});

describe('a commit of everything by the agent', () => {
  it('contains nothing of an ignored registry file with credentials', () => {
    writeFileSync(join(repository, '.gitignore'), '.mcp.json\n');
    writeFileSync(join(repository, '.mcp.json'), secret);
    const registration = register(repository);
    agentCommits(repository);
    registration.restore();
    expect(committed()).toContain('work.txt');
    expect(committed()).not.toMatch(/token-of-a-person|key-of-the-run/);
    expect(readFileSync(join(repository, '.mcp.json'), 'utf8')).toBe(secret);
    expect(status(repository)).toBe('');
  });

  it.each(['', 'packages/[a] *b'])('contains no registry file that git does not know (in "%s")', (sub) => {
    const cwd = join(repository, sub);
    mkdirSync(cwd, { recursive: true });
    writeFileSync(join(cwd, '.mcp.json'), secret);
    const excludePath = join(repository, '.git/info/exclude');
    const before = readFileSync(excludePath, 'utf8');
    const registration = register(cwd);
    agentCommits(cwd);
    registration.restore();
    expect(committed()).not.toMatch(/token-of-a-person|key-of-the-run/);
    expect(readFileSync(excludePath, 'utf8')).toBe(before);
    expect(status(cwd)).toContain('.mcp.json');
  });

  it('contains none in a work tree of its own either', () => {
    const tree = join(folder, 'tree');
    git(repository, 'worktree', 'add', '-q', '-b', 'other', tree);
    const registration = register(tree);
    agentCommits(tree);
    registration.restore();
    expect(committed()).toContain('work.txt');
    expect(committed()).not.toContain('key-of-the-run');
    expect(status(tree)).toBe('');
  });

  it('contains none after the run was killed, until the next start restores everything', () => {
    const excludePath = join(repository, '.git/info/exclude');
    const before = readFileSync(excludePath, 'utf8');
    const module = new URL('./registry-file.ts', import.meta.url).href;
    const request = { cwd: repository, member: 'ben', bridge, keptDir: join(folder, 'kept') };
    const script = `import { registerBridge } from ${JSON.stringify(module)};
      registerBridge(${JSON.stringify(request)}); process.kill(process.pid, 'SIGKILL');`;
    expect(() =>
      execFileSync(process.execPath, ['--input-type=module-typescript', '-e', script], { stdio: 'ignore' }),
    ).toThrow();
    agentCommits(repository);
    expect(committed()).not.toContain('key-of-the-run');
    expect(recoverRegistry(repository, join(folder, 'kept'))).toContain('was interrupted');
    expect(readFileSync(excludePath, 'utf8')).toBe(before);
    expect(status(repository)).toBe('');
  });
});

describe('a registry file that git tracks', () => {
  beforeEach(() => {
    writeFileSync(join(repository, '.mcp.json'), '{"mcpServers":{"main":{"command":"a"}}}');
    agentCommits(repository);
    git(repository, 'checkout', '-q', '-b', 'other');
    writeFileSync(join(repository, '.mcp.json'), '{"mcpServers":{"other":{"command":"b"}}}');
    agentCommits(repository);
    git(repository, 'checkout', '-q', '-b', 'without', 'main');
    git(repository, 'rm', '-q', '.mcp.json');
    git(repository, 'commit', '-qm', 'without');
    git(repository, 'checkout', '-q', 'main');
  });

  it('is left as the other branch has it if the agent switches branches', () => {
    const registration = register(repository);
    git(repository, 'checkout', '-qf', 'other');
    expect(registration.restore()).toContain('was changed during the run and was left as it is');
    expect(readFileSync(join(repository, '.mcp.json'), 'utf8')).toContain('other');
    expect(status(repository)).toBe('');
  });

  it('does not come back on a branch without it', () => {
    const registration = register(repository);
    git(repository, 'checkout', '-qf', 'without');
    expect(registration.restore()).toBeNull();
    expect(status(repository)).toBe('');
  });

  it('is restored byte for byte on its own branch', () => {
    register(repository).restore();
    expect(status(repository)).toBe('');
  });
});
