/**
 * The key-encryption key that the desktop app wraps with the system's keychain in `<config>.kek.safe`
 * (specification/desktop.md#key). A file that can be opened is on disk at every moment: the wrapped one is
 * written, read back, and opened before the plain one is deleted.
 */
import type { KeyObject } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf, codeText } from '#platform/error-text.ts';
import {
  createPrivateFile,
  removeLeftovers,
  replacePrivateFile,
  syncFolder,
} from '#platform/private-file.ts';
import { StartUpError } from '../runtime/start-up-error.ts';
import { keyText, mintKeyText, parseKey } from './kek-text.ts';
import type { Keychain } from './keychain.ts';

export interface WrappedKek {
  /** Null: it stays in the plain file, or is to be created there. */
  key: KeyObject | null;
  /** Sentences for the person who starts the broker. */
  notices: string[];
  /** Deletes the plain file. Call it once the broker has started with this key. */
  removePlain(): Promise<void>;
}

export interface WrappedKekRequest {
  /** The path of the plain file. */
  path: string;
  /** The content of the plain file. */
  plain: KeyObject | null;
  keychain: Keychain;
}

const nothingToRemove = async (): Promise<void> => undefined;

/**
 * @throws StartUpError with the remedy, and every file untouched, if the wrapped key cannot be opened and
 *   there is no plain one.
 */
export async function openWrappedKek({ path, plain, keychain }: WrappedKekRequest): Promise<WrappedKek> {
  const safe = `${path}.safe`;
  await removeLeftovers(safe);
  const wrapped = await readWrapped(safe);
  if (wrapped === null) return wrapFirst(safe, path, plain, keychain);
  const opened = await unwrap(keychain, wrapped);
  if (opened === null) {
    if (plain === null) throw new StartUpError(closedSentence(safe));
    const notice = `"${safe}" cannot be opened by this system's keychain, and the file was left as it is. The broker uses the key file "${path}". To wrap the key again, move "${safe}" to another folder.`;
    return { key: null, notices: [notice], removePlain: nothingToRemove };
  }
  if (plain !== null && !plain.equals(opened.key))
    throw new StartUpError(
      `"${path}" and "${safe}" hold different keys. Move the one that does not belong to this configuration to another folder, then start again.`,
    );
  if (opened.isStale) await rewrap(safe, opened.key, keychain);
  return { key: opened.key, notices: [], removePlain: () => removePlain(path, plain) };
}

/** The sentence for a wrapped key that this system cannot open, without a plain one. */
export const closedSentence = (safe: string): string =>
  `The key in "${safe}" cannot be opened by this system's keychain, and the file was left as it is. Unlock the keychain and start Muster again, return to the machine and account that wrote the file, or start with SVC_KEK set to the exported recovery key.`;

async function wrapFirst(
  safe: string,
  path: string,
  plain: KeyObject | null,
  keychain: Keychain,
): Promise<WrappedKek> {
  const text = plain === null ? mintKeyText() : keyText(plain);
  try {
    const made = await createPrivateFile(safe, await encode(text, keychain));
    const onDisk = made ? await readWrapped(safe) : null;
    const opened = onDisk === null ? null : await unwrap(keychain, onDisk);
    if (opened !== null && keyText(opened.key) === text)
      return { key: opened.key, notices: [], removePlain: () => removePlain(path, plain) };
    if (made) await rm(safe, { force: true });
  } catch {
    // The keychain or the folder refused. Nothing is lost, because the plain file still works.
  }
  const notice = `This system's keychain did not accept the key. The key stays in "${path}", which only your account may read.`;
  return { key: null, notices: [notice], removePlain: nothingToRemove };
}

async function readWrapped(safe: string): Promise<Buffer | null> {
  try {
    return Buffer.from((await readFile(safe, 'utf8')).trim(), 'base64');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw new StartUpError(
      `"${safe}" cannot be read (${codeText(error)}). Make it readable for this user, or set SVC_KEK to the exported recovery key.`,
    );
  }
}

async function unwrap(
  keychain: Keychain,
  wrapped: Buffer,
): Promise<{ key: KeyObject; isStale: boolean } | null> {
  try {
    const { text, isStale } = await keychain.unwrap(wrapped);
    const key = parseKey(text);
    return key === null ? null : { key, isStale };
  } catch {
    return null;
  }
}

const encode = async (text: string, keychain: Keychain): Promise<string> =>
  `${Buffer.from(await keychain.wrap(text)).toString('base64')}\n`;

/** Returns what `<config>.kek.safe` has for this key; null if the keychain does not give the key back. */
export async function wrapKey(key: KeyObject, keychain: Keychain): Promise<string | null> {
  const wrapped = await encode(keyText(key), keychain);
  const opened = await unwrap(keychain, Buffer.from(wrapped.trim(), 'base64'));
  return opened?.key.equals(key) ? wrapped : null;
}

/** The file on disk still opens, so a failure here does no harm. */
async function rewrap(safe: string, key: KeyObject, keychain: Keychain): Promise<void> {
  try {
    const next = await wrapKey(key, keychain);
    if (next !== null) await replacePrivateFile(safe, next);
  } catch {
    // Retried at the next start.
  }
}

async function removePlain(path: string, plain: KeyObject | null): Promise<void> {
  if (plain === null) return;
  await rm(path, { force: true });
  await syncFolder(dirname(path));
}
