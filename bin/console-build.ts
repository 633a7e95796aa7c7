/** Builds the console in a checkout if its sources are newer. */
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { CommandFailure } from './command-failure.ts';
import { consoleFolder } from './console-folder.ts';
import { remark } from './output.ts';
import { sentences } from './sentences.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

const sources = ['renderer', 'broker/protocol', 'vite.config.ts', 'package-lock.json'];

const changedAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

function newestOf(path: string): number {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return changedAt(path);
  return readdirSync(path, { recursive: true, encoding: 'utf8' }).reduce(
    (newest, name) => Math.max(newest, changedAt(join(path, name))),
    0,
  );
}

/**
 * Builds it unless it is newer than its sources; an installed program includes it. @throws CommandFailure.
 */
export function buildConsoleWhenNeeded(): void {
  const builtAt = changedAt(join(consoleFolder, 'index.html'));
  const newest = Math.max(...sources.map((name) => newestOf(join(root, name))));
  if (builtAt > newest || changedAt(join(root, 'renderer')) === 0) return;
  remark('building the console…');
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const { status, stderr, stdout } = spawnSync(process.execPath, [vite, 'build', '--logLevel', 'warn'], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0)
    throw new CommandFailure(
      sentences(
        `the console cannot be built: ${(stderr || stdout).trim().split('\n')[0] ?? ''}`,
        'Run "npm ci", and try again.',
      ),
    );
}
