/** Keeps the session between starts, encrypted with the system's own keychain; where there is none it is not kept at all. */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { safeStorage } from 'electron';

export interface SessionVault {
  load(): Promise<string | null>;
  /** In the order of the calls; null forgets it. */
  save(value: string | null): void;
  /** Resolves when the last save is on disk. */
  settle(): Promise<void>;
}

export function createSessionVault(
  path: string,
  log: { warn(details: object, message: string): void },
): SessionVault {
  let last = Promise.resolve();

  async function write(value: string | null): Promise<void> {
    if (value === null) return rm(path, { force: true });
    if (!(await safeStorage.isAsyncEncryptionAvailable())) return;
    await writeFile(`${path}.new`, await safeStorage.encryptStringAsync(value), { mode: 0o600 });
    await rename(`${path}.new`, path);
  }

  return {
    async load() {
      const kept = await readFile(path).catch(() => null);
      if (kept === null || !(await safeStorage.isAsyncEncryptionAvailable())) return null;
      try {
        return (await safeStorage.decryptStringAsync(kept)).result;
      } catch (error) {
        log.warn({ err: error }, 'the kept session cannot be read; log in again');
        return null;
      }
    },
    save(value) {
      last = last
        .then(() => write(value))
        .catch((error: unknown) => log.warn({ err: error }, 'the session was not kept'));
    },
    settle: () => last,
  };
}
