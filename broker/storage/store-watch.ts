/**
 * Looks whether the files of an open store are still the ones at their paths. SQLite goes on in a file that was
 * deleted or replaced, and everything that it acknowledges then is lost with the process.
 */
import { realpath, stat } from 'node:fs/promises';
import { codeOf } from '#platform/error-text.ts';
import type { Log } from '../runtime/log.ts';

export interface StoreWatch {
  /** Whether a file was deleted or replaced at the last look. */
  readonly isLost: boolean;
  stop(): void;
}

const lookEveryMs = 2000;

/** Null if there is no such file. @throws the system's error. */
const identityOf = (path: string): Promise<string | null> =>
  stat(path, { bigint: true }).then(
    ({ dev, ino }) => `${dev}:${ino}`,
    (error: unknown) => {
      if (codeOf(error) === 'ENOENT') return null;
      throw error;
    },
  );

/** `file` is open. Its log is beside the real file, and a store without it has lost its newest commits. */
export async function watchStore(file: string, log: Log): Promise<StoreWatch> {
  const identityByPath = new Map<string, string>();
  for (const path of [file, `${await realpath(file)}-wal`]) {
    const identity = await identityOf(path);
    if (identity !== null) identityByPath.set(path, identity);
  }
  let lost: string | null = null;

  async function look(): Promise<void> {
    let found: string | null = null;
    for (const [path, identity] of identityByPath) if ((await identityOf(path)) !== identity) found ??= path;
    if (found !== null && lost === null)
      log.fatal(
        { file: found },
        'a file of a store was deleted or replaced; the broker refuses every change with 503 until it is back or the broker is restarted',
      );
    if (found === null && lost !== null) log.warn({ file: lost }, 'the file of the store is back');
    lost = found;
  }

  // A look that fails says nothing about the file.
  const looking = setInterval(() => void look().catch(() => undefined), lookEveryMs).unref();
  return {
    get isLost() {
      return lost !== null;
    },
    stop: () => clearInterval(looking),
  };
}
