/**
 * The conversations of Codex (`sessions/<year>/<month>/<day>/rollout-….jsonl`) in a folder that outlives the home of
 * a run (specification/runner.md#a-restart).
 */
import { mkdirSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

const folderName = 'sessions';
const maxRollouts = 20;
const maxAgeMs = 30 * 24 * 60 * 60_000;

/** Keeps the newest 20 of the last 30 days. A file that cannot be removed is tried again at the next start. */
function prune(folder: string, now: number): void {
  const rollouts = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => {
      const path = join(folder, name);
      const changedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
      return changedAt === undefined ? [] : [{ path, changedAt }];
    })
    .sort((one, other) => other.changedAt - one.changedAt);
  for (const [place, { path, changedAt }] of rollouts.entries())
    if (place >= maxRollouts || now - changedAt > maxAgeMs) rmSync(path, { force: true });
}

/** Prunes the kept conversations, and links their folder into the home. @throws the system's error. */
export function linkRollouts(home: string, keptDir: string): void {
  const folder = join(keptDir, folderName);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  prune(folder, Date.now());
  symlinkSync(folder, join(home, folderName), process.platform === 'win32' ? 'junction' : 'dir');
}
