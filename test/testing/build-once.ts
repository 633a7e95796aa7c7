/** Builds what tests need: by whoever needs it first, and again only if its sources changed. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const built = join(root, 'dist');
const staleMs = 120_000;

export interface Build {
  /** The name of the folder that is created in `dist`. */
  name: string;
  /** The files and folders that it is built from, relative to the root. */
  sources: readonly string[];
  /** The arguments of Node, which runs in the root. */
  command: readonly string[];
}

/**
 * Several test processes may call it at once: one builds, and the others wait. Returns the folder. @throws
 * Error if the build fails.
 */
export async function buildOnce({ name, sources, command }: Build): Promise<string> {
  const folder = join(built, name);
  const stampFile = join(built, `${name}.stamp`);
  const lock = join(built, `${name}.lock`);
  const stampNow = () => String(Math.max(...sources.map((source) => newestChange(join(root, source)))));
  mkdirSync(built, { recursive: true });
  while (!isFresh()) {
    if (!takeLock(lock)) await after(100);
    else
      try {
        if (!isFresh()) build();
      } finally {
        rmdirSync(lock);
      }
  }
  return folder;

  function isFresh(): boolean {
    try {
      return readFileSync(stampFile, 'utf8') === stampNow() && statSync(folder).isDirectory();
    } catch {
      return false;
    }
  }

  function build(): void {
    const stamp = stampNow();
    const { status, stderr } = spawnSync(process.execPath, command, { cwd: root, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${name} was not built\n${stderr}`);
    writeFileSync(stampFile, stamp);
  }
}

function newestChange(path: string): number {
  const found = statSync(path);
  if (!found.isDirectory()) return found.mtimeMs;
  return Math.max(found.mtimeMs, ...readdirSync(path).map((name) => newestChange(join(path, name))));
}

function takeLock(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    // The lock of a process that was killed.
    try {
      if (Date.now() - statSync(lock).mtimeMs > staleMs) rmdirSync(lock);
    } catch {
      // Its owner has just finished.
    }
    return false;
  }
}
