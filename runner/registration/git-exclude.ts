/**
 * Keeps a file out of commits as long as a run changes it: a line in the repository's own exclude file, which is part of no commit
 * (specification/runner.md#registration).
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, lstatSync, mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import process from 'node:process';
import { z } from 'zod';
import { replaceFileSync } from '#platform/synced-file.ts';

const gitTimeoutMs = 5000;
const comment = '# A run of Muster keeps its tools in this file. The run removes both lines when it ends.';

export const Exclusion = z.object({
  /** The exclude file, which all work trees of the repository share. */
  path: z.string(),
  pattern: z.string(),
});
export type Exclusion = z.infer<typeof Exclusion>;

/** Git's view of a file: null if the folder is in no repository, or if git cannot be asked. */
export interface GitView {
  /** A commit or the index has it, so excluding it changes nothing. */
  isTracked: boolean;
  exclusion: Exclusion;
}

function git(folder: string, ...args: string[]): string {
  // A caller's own repository must not be taken for that of the folder, and nothing that git starts may have the token.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(GIT|SVC)_/i.test(name)));
  const options = { cwd: folder, env, encoding: 'utf8', timeout: gitTimeoutMs, windowsHide: true } as const;
  // The folder may name a program that git would start for its files.
  return execFileSync('git', ['-c', 'core.fsmonitor=false', ...args], {
    ...options,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

export function gitViewOf(file: string): GitView | null {
  const folder = dirname(file);
  const name = basename(file);
  try {
    const [path = '', prefix = ''] = git(
      folder,
      'rev-parse',
      '--git-path',
      'info/exclude',
      '--show-prefix',
    ).split('\n');
    const isTracked = git(folder, 'ls-files', '--', name) !== '';
    const pattern = `/${`${prefix}${name}`.replaceAll(/[\\*?[]/g, '\\$&')}`;
    return { isTracked, exclusion: { path: resolve(folder, path), pattern } };
  } catch {
    return null;
  }
}

/** Without the right to write it, the run goes on: the exclusion is a help, and no condition. */
export function exclude({ path, pattern }: Exclusion): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    // It may lead to any file of the person.
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return;
    const text = textOf(path);
    appendFileSync(path, `${text === '' || text.endsWith('\n') ? '' : '\n'}${comment}\n${pattern}\n`);
  } catch {
    // For example, the repository of another user.
  }
}

/** Removes what `exclude` added. Everything else in the file stays as it is. */
export function include({ path, pattern }: Exclusion): void {
  try {
    const text = textOf(path);
    const rest = text.replace(`${comment}\n${pattern}\n`, '');
    if (rest !== text) replaceFileSync(realpathSync(path), Buffer.from(rest), statSync(path).mode & 0o777);
  } catch {
    // The repository is gone.
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
