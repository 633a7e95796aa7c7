/**
 * A machine without a team that joins one: what its first start made is set aside, so that it begins with the team's key and
 * nothing else (docs/specification/desktop.md#joining-a-team).
 */
import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { codeOf, reasonOf } from '#platform/error-text.ts';
import { replacePrivateFile } from '#platform/private-file.ts';
import { parseKey } from '../config/kek-text.ts';
import type { Keychain } from '../config/keychain.ts';
import { wrapKey } from '../config/wrapped-kek.ts';
import { realName } from '../storage/sqlite/open-database.ts';

export interface MachinePlaces {
  configPath: string;
  mainDbPath: string;
  activityDbPath: string;
}

/** Loads SQLite on the serving thread only for this rare question. */
async function hasRows(file: string, tables: readonly string[]): Promise<boolean> {
  const { default: Database } = await import('better-sqlite3');
  const db = new Database(file, { readonly: true });
  try {
    return tables.some((table) => db.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() !== undefined);
  } finally {
    db.close();
  }
}

/** Returns what this machine has of a team, as a sentence; null if it has nothing. */
export async function traceOfTeam({
  configPath,
  mainDbPath,
  activityDbPath,
}: MachinePlaces): Promise<string | null> {
  if (existsSync(configPath)) return 'this machine has a team already';
  // One of them has a row if the store ever served a team.
  const stores = [
    [mainDbPath, ['audited_configuration', 'audited_member', 'message']],
    [activityDbPath, ['activity', 'usage']],
  ] as const;
  for (const [file, tables] of stores)
    try {
      if (existsSync(file) && (await hasRows(file, tables)))
        return `"${file}" is the store of a team whose configuration is missing; put the configuration back, or move the store to another folder and start again`;
    } catch (error) {
      return `"${file}" cannot be read, and may be the store of a team: ${reasonOf(error)}`;
    }
  return null;
}

/** Returns the team's key as `beginEmpty` needs it; null if the keychain does not give it back, or if the text is no key. */
export async function sealTeamKey(text: string, keychain: Keychain): Promise<string | null> {
  const key = parseKey(text);
  return key && wrapKey(key, keychain);
}

async function setAside(path: string, mark: string): Promise<void> {
  try {
    await rename(path, `${path}.${mark}`);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/**
 * Call it while no broker runs here. If it ends halfway, the next start is a first one again.
 * @throws Error, with every file as it was, if this machine has anything of a team; the system's error.
 */
export async function beginEmpty(places: MachinePlaces, sealedKey: string): Promise<void> {
  const trace = await traceOfTeam(places);
  if (trace !== null) throw new Error(trace);
  const mark = `unused-${Date.now()}`;
  const key = `${places.configPath}.kek`;
  const stores = [realName(places.mainDbPath), realName(places.activityDbPath)];
  for (const path of [...stores.flatMap((file) => [`${file}-wal`, `${file}-shm`, file]), key, `${key}.safe`])
    await setAside(path, mark);
  await replacePrivateFile(`${key}.safe`, sealedKey);
}
