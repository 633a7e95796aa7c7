/**
 * One writer at a time among processes: a lock file beside the file that it guards, held for the duration of
 * one rewrite.
 */
import { randomUUID } from 'node:crypto';
import { link, open, readFile, rename, rm, stat } from 'node:fs/promises';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf } from './error-text.ts';
import { isAlive, ownIdentity } from './process-identity.ts';

const claimTimeoutMs = 30_000;
const staleMs = 5_000;

/** A living process has the lock for longer than somebody wanted to wait. */
export class LockHeldError extends Error {
  override readonly name = 'LockHeldError';
}

/**
 * Runs `work` while holding `path`. The lock of a process that died is taken over after 5 s. A living process
 * keeps its lock, however long it stands still, because otherwise what it read before would overwrite what
 * was written since.
 * @throws LockHeldError if the lock cannot be claimed within `timeoutMs` (30 s by default), or whatever `work`
 *   throws.
 */
export async function withFileLock<T>(
  path: string,
  work: () => Promise<T>,
  timeoutMs = claimTimeoutMs,
): Promise<T> {
  const { pid, startedAt } = ownIdentity();
  const mark = `${pid} ${startedAt ?? 'x'} ${randomUUID()}`;
  const giveUpAt = performance.now() + timeoutMs;
  while (!(await claim(path, mark))) {
    if (performance.now() > giveUpAt)
      throw new LockHeldError(`${path} is held by another process; delete it if none is running`);
    await takeOverIfStale(path);
    await pause(5 + Math.random() * 20);
  }
  try {
    return await work();
  } finally {
    if ((await markOf(path)) === mark) await rm(path, { force: true });
  }
}

async function claim(path: string, mark: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600);
    await file.writeFile(mark);
    await file.close();
    return (await markOf(path)) === mark;
  } catch (error) {
    // Windows answers EPERM for a file that is being deleted.
    if (codeOf(error) === 'EEXIST' || (process.platform === 'win32' && codeOf(error) === 'EPERM'))
      return false;
    throw error;
  }
}

/**
 * Two processes may find the same stale lock: the rename gives it to one of them, and a fresh lock that was
 * caught by mistake is put back.
 */
async function takeOverIfStale(path: string): Promise<void> {
  const mark = await markOf(path);
  const age = await stat(path).then(
    (found) => Date.now() - found.mtimeMs,
    () => 0,
  );
  if (mark === undefined || age < staleMs || isOfTheLiving(mark)) return;
  const aside = `${path}.${randomUUID()}`;
  await rename(path, aside).catch(() => {});
  if ((await markOf(aside)) !== mark) await link(aside, path).catch(() => {});
  await rm(aside, { force: true });
}

function isOfTheLiving(mark: string): boolean {
  const [, pid, startedAt] = /^(\d+) (\d+|x) /.exec(mark) ?? [];
  if (pid === undefined || startedAt === undefined) return false;
  return isAlive({ pid: Number(pid), startedAt: startedAt === 'x' ? null : startedAt });
}

const markOf = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').then(
    (mark) => mark,
    () => undefined,
  );
