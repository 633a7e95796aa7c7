/** Another version of the product, checked out and installed beside this one. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../../bin/usage-error.ts';
import { root } from '../testing/build-once.ts';

export interface OtherVersion {
  /** The abbreviated hash of the commit. */
  commit: string;
  /** The path of the command. */
  command: string;
  remove(): void;
}

const git = (...args: string[]): string =>
  execFileSync('git', ['-C', root, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();

/** @throws UsageError if the repository has no such commit. */
function hashOf(commit: string): string {
  try {
    return git('rev-parse', '--verify', '--short', '--end-of-options', `${commit}^{commit}`);
  } catch {
    throw new UsageError(`the repository has no commit "${commit}": pass a hash, a tag, or a branch.`);
  }
}

/** Takes about a minute, because the dependencies of that version are installed. @throws UsageError. */
export function checkOutVersion(revision: string): OtherVersion {
  const commit = hashOf(revision);
  const folder = mkdtempSync(join(tmpdir(), 'muster-against-'));
  const place = join(folder, commit);
  const remove = (): void => {
    git('worktree', 'remove', '--force', place);
    rmSync(folder, { recursive: true, force: true });
  };
  git('worktree', 'add', '--detach', place, commit);
  try {
    execFileSync('npm', ['ci', '--ignore-scripts=false', '--no-audit', '--no-fund'], {
      cwd: place,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const { bin } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as {
      bin: Record<string, string>;
    };
    // The command had another name in earlier versions.
    const command = bin.muster ?? bin.svc;
    if (command === undefined) throw new UsageError(`the version ${commit} has no command.`);
    return { commit, command: join(place, command), remove };
  } catch (error) {
    remove();
    throw error;
  }
}
