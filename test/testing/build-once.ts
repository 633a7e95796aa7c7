/** What tests need built: by whoever needs it first, and again only when its sources changed. */
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
  /** Of the folder in `dist` that is made. */
  name: string;
  /** Files and folders it is made of, from the root. */
  sources: readonly string[];
  /** Arguments of Node, run in the root. */
  command: readonly string[];
}

/** Several test processes may ask at once: one builds, the others wait for it. Answers the folder. @throws Error when it does not build. */
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
    // Left by a process that was killed.
    try {
      if (Date.now() - statSync(lock).mtimeMs > staleMs) rmdirSync(lock);
    } catch {
      // Its owner was done just now.
    }
    return false;
  }
}
