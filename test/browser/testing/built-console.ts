/** The console as it is served: built by whoever needs it first, and again only when its sources changed. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
export const consoleFolder = join(root, 'dist', 'console');
const stampFile = join(root, 'dist', 'console.stamp');
const lock = join(root, 'dist', 'console.lock');
const staleMs = 120_000;

function newestChange(path: string): number {
  const found = statSync(path);
  if (!found.isDirectory()) return found.mtimeMs;
  return Math.max(found.mtimeMs, ...readdirSync(path).map((name) => newestChange(join(path, name))));
}

function stampNow(): string {
  const sources = ['renderer', 'broker/protocol', 'vite.config.ts', 'package.json'];
  return String(Math.max(...sources.map((source) => newestChange(join(root, source)))));
}

function isFresh(): boolean {
  try {
    return (
      readFileSync(stampFile, 'utf8') === stampNow() && statSync(join(consoleFolder, 'index.html')).isFile()
    );
  } catch {
    return false;
  }
}

function build(): void {
  const stamp = stampNow();
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const { status, stderr } = spawnSync(process.execPath, [vite, 'build', '--logLevel', 'error'], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the console was not built\n${stderr}`);
  writeFileSync(stampFile, stamp);
}

function takeLock(): boolean {
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

/** Several test processes may ask at once: one builds, the others wait for it. Answers the folder. */
export async function builtConsole(): Promise<string> {
  mkdirSync(join(root, 'dist'), { recursive: true });
  while (!isFresh()) {
    if (takeLock()) {
      try {
        if (!isFresh()) build();
      } finally {
        rmdirSync(lock);
      }
    } else await after(100);
  }
  return consoleFolder;
}
