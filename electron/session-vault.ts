/**
 * Keeps the session between starts, encrypted with the system's keychain. Without a real keychain, it keeps
 * nothing.
 */
import { readFile, rm } from 'node:fs/promises';
import { replacePrivateFile } from '#platform/private-file.ts';
import { createSerialQueue } from '#platform/serial-queue.ts';
import type { Keychain } from '../broker/create-broker.ts';

export interface SessionVault {
  load(): Promise<string | null>;
  /** Saves in the order of the calls; null deletes the saved session. */
  save(value: string | null): void;
  /** Resolves when the last save is on disk. */
  whenSaved(): Promise<void>;
}

export interface SessionVaultDeps {
  path: string;
  /** Null if there is no real keychain. */
  keychain: Keychain | null;
  log: { warn(details: object, message: string): void };
}

export function createSessionVault({ path, keychain, log }: SessionVaultDeps): SessionVault {
  const inTurn = createSerialQueue();

  async function write(value: string | null): Promise<void> {
    if (value === null || keychain === null) return rm(path, { force: true });
    await replacePrivateFile(path, await keychain.wrap(value));
  }

  function save(value: string | null): void {
    void inTurn(() => write(value)).catch((error: unknown) =>
      log.warn({ err: error }, 'the session could not be saved'),
    );
  }

  return {
    save,
    async load() {
      if (keychain === null) {
        // Saved with another keychain: either nothing can decrypt it, or anyone can.
        save(null);
        return null;
      }
      const kept = await readFile(path).catch(() => null);
      if (kept === null) return null;
      try {
        const { text, isStale } = await keychain.unwrap(kept);
        if (isStale) save(text);
        return text;
      } catch (error) {
        log.warn({ err: error }, 'the saved session cannot be read; log in again');
        return null;
      }
    },
    whenSaved: () => inTurn(() => undefined),
  };
}
