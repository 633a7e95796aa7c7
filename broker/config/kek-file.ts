/**
 * The key-encryption key, from SVC_KEK or the file beside the configuration
 * (specification/configuration.md#key-file).
 */
import type { KeyObject } from 'node:crypto';
import { access, chmod, readFile, stat } from 'node:fs/promises';
import { codeOf, codeText } from '#platform/error-text.ts';
import { createPrivateFile, removeLeftovers } from '#platform/private-file.ts';
import { StartUpError } from '../runtime/start-up-error.ts';
import { keyText, mintKeyText, parseKey } from './kek-text.ts';
import type { Keychain } from './keychain.ts';
import { checkConfig } from './load-config.ts';
import { closedSentence, openWrappedKek } from './wrapped-kek.ts';

export interface Kek {
  /** A key object instead of bytes, so that nothing can print or serialize it by accident. */
  key: KeyObject;
  /** The file in which it is stored; null if it came from SVC_KEK. */
  path: string | null;
  place: 'environment' | 'file' | 'keychain';
  /** Sentences for the person who starts the broker. */
  notices: readonly string[];
  /** Deletes what is no longer needed once the broker has started with this key. */
  removePlain(): Promise<void>;
}

const settled = { notices: [], removePlain: async (): Promise<void> => undefined };

/**
 * Reads the key, or creates its file at the first start. The file is on disk before anything can be sealed
 * with it. @throws StartUpError (78) if SVC_KEK or the file is malformed or unreadable, with the file
 * untouched, if the configuration cannot be used (no key is
 * created then), and if the desktop app holds the key in the system's keychain (`<config>.kek.safe`) but did not
 * pass it on.
 */
export async function openKek(options: {
  configPath: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Null: the desktop app found no keychain. Absent: headless. */
  keychain?: Keychain | null | undefined;
}): Promise<Kek> {
  const fromEnv = options.env.SVC_KEK;
  if (fromEnv !== undefined) {
    const key = parseKey(fromEnv);
    if (!key) {
      throw new StartUpError(
        'SVC_KEK must be 32 bytes in base64 (44 characters). Correct it, or unset it to use the key file.',
      );
    }
    return { key, path: null, place: 'environment', ...settled };
  }
  const path = `${options.configPath}.kek`;
  await removeLeftovers(path);
  const plain = await readKey(path);
  // No key is created for a configuration that does not work, because its own key may be elsewhere.
  if (plain === null) await checkConfig(options.configPath);
  const { keychain } = options;
  const wrapped = keychain ? await openWrappedKek({ path, plain, keychain }) : settled;
  if ('key' in wrapped && wrapped.key !== null)
    return { ...wrapped, key: wrapped.key, path: `${path}.safe`, place: 'keychain' };
  const { notices, removePlain } = wrapped;
  return { key: plain ?? (await makeKey(path, keychain)), path, place: 'file', notices, removePlain };
}

/** Returns the key as text, as SVC_KEK has it, and creates it as `openKek` does. @throws StartUpError like `openKek`. */
export const readKeyText = async (options: Parameters<typeof openKek>[0]): Promise<string> =>
  keyText((await openKek(options)).key);

async function readKey(path: string): Promise<KeyObject | null> {
  let content: string;
  try {
    content = await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw new StartUpError(
      `The key file "${path}" cannot be read (${codeText(error)}). Make it readable for this user, or set SVC_KEK.`,
    );
  }
  const key = parseKey(content.trim());
  if (!key) {
    throw new StartUpError(
      `The key file "${path}" must hold 32 bytes in base64. Restore it from a backup, or move it to another folder to create a new key and set up TOTP and the VAPID key again.`,
    );
  }
  await tightenMode(path);
  return key;
}

async function makeKey(path: string, keychain: Keychain | null | undefined): Promise<KeyObject> {
  if (await exists(`${path}.safe`)) {
    if (keychain !== undefined) throw new StartUpError(closedSentence(`${path}.safe`));
    throw new StartUpError(
      `The desktop app keeps the key in this system's keychain ("${path}.safe"). Start the desktop app, or set SVC_KEK to the recovery key that it exports.`,
    );
  }
  try {
    // If another process creates the file at the same moment, its key is used.
    await createPrivateFile(path, `${mintKeyText()}\n`);
  } catch (error) {
    throw new StartUpError(
      `The key file "${path}" cannot be written (${codeText(error)}). Make its folder writable, or set SVC_KEK.`,
    );
  }
  const key = await readKey(path);
  if (!key)
    throw new StartUpError(`The key file "${path}" was removed while the broker created it. Start again.`);
  return key;
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ENOENT';
  }
}

async function tightenMode(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const { mode } = await stat(path);
  // A key that is mounted read-only cannot be changed here; it is still the right key.
  if ((mode & 0o077) !== 0) await chmod(path, 0o600).catch(() => undefined);
}
