/** Whether this machine could stand by with a database, for a person who names it (docs/specification/desktop.md#several-machines). */
import type { KeyObject } from 'node:crypto';
import { statSync } from 'node:fs';
import { inMemory } from '#platform/store-places.ts';
import { configName } from '../backup/backup-format.ts';
import { parseKey } from '../config/kek-text.ts';
import { realName } from '../storage/sqlite/open-database.ts';
import { sentenceOf, unreachable } from './database-sentence.ts';
import { hostAndPort } from './host-and-port.ts';
import { keptPosition } from './kept-position.ts';
import { connectPageLog, type PageLog, UnreadableEntry } from './page-log.ts';
import { urlFault } from './standby-settings.ts';

export interface DatabaseCheck {
  /** Of the database. */
  url: string;
  /** `host:port`, where other machines reach this one; null: the default. */
  address: string | null;
  /** Of the team, as text. */
  key: string;
  configPath: string;
  dbPath: string;
  activityDbPath: string;
  /** The stores of this machine are set aside before it stands by. */
  beginsEmpty?: boolean;
}

const limitMs = 10_000;

const isThere = (file: string): boolean => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;

/** Returns why this machine and what it has do not go with what the database has; null if they do. */
async function mismatch(log: PageLog, check: DatabaseCheck): Promise<string | null> {
  const hasTeam = isThere(check.configPath);
  const { isPrepared, canPrepare } = await log.inspect();
  if (!canPrepare)
    return 'the user may not create tables in this database, or the database only answers reads; name the server that accepts writes, and make the user the owner of the database';
  const logs = isPrepared ? await log.completeLogs() : new Map<string, { id: string }>();
  if (logs.size === 0)
    return hasTeam ? null : 'the database has no team yet; begin with the machine that has the team';
  try {
    const { files } = await log.filesAfter(0);
    if (!hasTeam && !files.some(({ name, content }) => name === configName && content !== null))
      return 'the database does not have the whole team yet; try again in a moment';
  } catch (error) {
    if (!(error instanceof UnreadableEntry)) throw error;
    return hasTeam
      ? 'the database has the data of another team, or of this one under another key; use an empty database'
      : 'the key is not the one of the team in this database';
  }
  if (check.beginsEmpty) return null;
  const files = { main: check.dbPath, activity: check.activityDbPath };
  const isOther = Object.entries(files).some(([store, file]) => {
    const end = logs.get(store);
    return end !== undefined && isThere(file) && keptPosition(realName(file), end.id) === null;
  });
  return isOther
    ? 'the database has a team already, and what this machine has is not a copy of it; use an empty database'
    : null;
}

/** Resolves within 10 seconds to a sentence that says why this machine cannot use the database; null if it can. */
export async function faultOfDatabase(check: DatabaseCheck): Promise<string | null> {
  const fault = urlFault(check.url);
  if (fault !== null) return `the address of the database ${fault}`;
  if (check.address !== null && hostAndPort(check.address) === null)
    return 'the address for other machines must be a host and a port, such as 10.0.0.1:8720 or [fd00::1]:8720';
  const kek = parseKey(check.key);
  if (kek === null) return 'the key of the team must have 44 characters, as its exported recovery key has';
  if (check.dbPath === inMemory || check.activityDbPath === inMemory)
    return 'this machine keeps a store in memory; name files in "stores" of its configuration first';
  const opened: { log: PageLog | null; isOver: boolean } = { log: null, isOver: false };
  const { promise: late, resolve: end } = Promise.withResolvers<string>();
  const timer = setTimeout(() => end(`${unreachable} (it did not answer in time)`), limitMs);
  async function ask(key: KeyObject): Promise<string | null> {
    const log = await connectPageLog({ url: check.url, name: 'test', kek: key });
    opened.log = log;
    if (opened.isOver) log.end();
    return mismatch(log, check);
  }
  try {
    return await Promise.race([ask(kek).catch(sentenceOf), late]);
  } finally {
    clearTimeout(timer);
    opened.isOver = true;
    opened.log?.end();
  }
}
