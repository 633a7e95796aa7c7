/**
 * Keeps the session between starts, encrypted with the system's keychain. Without a real keychain, it keeps
 * nothing.
 */
import { readFile, rm } from 'node:fs/promises';
import { replacePrivateFile } from '#platform/private-file.ts';
import { createSerialQueue } from '#platform/serial-queue.ts';
import type { Keychain } from '../broker/create-broker.ts';

export interface SessionVault {
  /**
   * Resolves to the saved session, or to null if there is none or it cannot be read now. The file stays as it
   * is, because the keychain may be closed only for a while.
   */
  load(): Promise<string | null>;
  /** Saves in the order of the calls; null deletes the saved session. */
  save(value: string | null): void;
  /** Resolves when the last save is on disk. */
  whenSaved(): Promise<void>;
}

export interface SessionVaultDeps {
  path: string;
  /** The keychain that can be used now; null without one. */
  keychain(): Keychain | null;
  log: { warn(details: object, message: string): void };
}

export function createSessionVault({ path, keychain, log }: SessionVaultDeps): SessionVault {
  const inTurn = createSerialQueue();
  const notKept = (error: unknown): undefined => {
    log.warn({ err: error }, 'the keychain did not accept the session, so it is only in memory');
  };

  async function write(value: string | null): Promise<void> {
    const wrapped = value === null ? undefined : await keychain()?.wrap(value).catch(notKept);
    // The content of the file is no longer the session.
    if (wrapped === undefined) return rm(path, { force: true });
    await replacePrivateFile(path, wrapped);
  }

  function save(value: string | null): void {
    void inTurn(() => write(value)).catch((error: unknown) =>
      log.warn({ err: error }, 'the session could not be saved'),
    );
  }

  return {
    save,
    async load() {
      const opener = keychain();
      const kept = await readFile(path).catch(() => null);
      if (opener === null || kept === null) return null;
      try {
        const { text, isStale } = await opener.unwrap(kept);
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
