/**
 * Copies both stores as they are at one moment, beside a broker that goes on writing: both connections hold a
 * read transaction from that moment until the copies are complete (specification/backup.md#one-moment).
 */
import Database from 'better-sqlite3';
import { type AuditHead, emptyAuditHead } from '#protocol/audit.ts';
import { auditTrail } from '../features/audit/audit-trail.sqlite.ts';
import { BackupError } from './backup-format.ts';
import { untrustedFaults } from './store-checks.sqlite.ts';
import { hasTable } from './store-schema.sqlite.ts';

export interface Snapshot {
  storeId: string;
  counts: Record<string, number>;
  /** Every content that a file of the team has. */
  blobs: { hash: string; bytes: number }[];
  audit: AuditHead;
}

export interface SnapshotRequest {
  main: { from: string; to: string };
  activity: { from: string; to: string };
  /** Called once the moment is fixed. False: the moment does not fit, so another one is tried. */
  isFitting: () => Promise<boolean>;
  /** Bytes copied so far, and of how many. */
  onProgress: (copied: number, total: number) => void;
}

const maxTries = 10;
const pagesPerStep = 500;
const lockTimeoutMs = 30_000;
const countedInMain = [
  'message',
  'channel',
  'objective',
  'objective_event',
  'fs_entry',
  'fs_grant',
  'token',
  'audit',
];

/** Nothing in a store is trusted: it may come from somebody else. */
export function openStore(file: string): Database.Database {
  const db = new Database(file, { fileMustExist: true, timeout: lockTimeoutMs });
  db.pragma('trusted_schema = OFF');
  db.pragma('cell_size_check = ON');
  return db;
}

const countRows = (db: Database.Database, table: string): number =>
  db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0;

/** Returns the rows per table of both stores. */
export function countsOf(main: Database.Database, activity: Database.Database): Record<string, number> {
  const tables = countedInMain.filter((table) => hasTable(main, table));
  const ofMain = tables.map((table) => [table, countRows(main, table)]);
  return Object.fromEntries([...ofMain, ['activity', countRows(activity, 'activity')]]);
}

/** Returns every content that an entry refers to. */
export const blobsOf = (main: Database.Database): Snapshot['blobs'] =>
  main
    .prepare<[], { hash: string; bytes: number }>(
      'SELECT DISTINCT hash, size AS bytes FROM fs_entry WHERE hash IS NOT NULL ORDER BY hash',
    )
    .all();

/** Returns the newest record of the audit log, or the place at which the log begins. */
export const auditHeadOf = (main: Database.Database): AuditHead =>
  hasTable(main, 'audit') ? auditTrail(main).head() : emptyAuditHead;

function describe(main: Database.Database, activity: Database.Database): Snapshot {
  const [untrusted] = untrustedFaults(main, activity);
  if (untrusted !== undefined) throw new BackupError(`${untrusted}. No restore would accept a backup of it.`);
  const storeId = main.prepare<[], string>('SELECT id FROM store_identity').pluck().get();
  if (storeId === undefined)
    throw new BackupError('the main store was never started, so there is nothing to back up.');
  return { storeId, audit: auditHeadOf(main), counts: countsOf(main, activity), blobs: blobsOf(main) };
}

/** The first read of a transaction fixes what it sees. */
function fix(db: Database.Database): void {
  db.exec('BEGIN');
  db.prepare('SELECT count(*) FROM sqlite_schema').get();
}

/**
 * The main store comes first: a row that the outbox carries to the activity store in between is then in both,
 * and the restore notices; the other way round it would be in neither.
 */
export async function takeSnapshot(request: SnapshotRequest): Promise<Snapshot> {
  const { main, activity, isFitting, onProgress } = request;
  using opened = new DisposableStack();
  const open = (file: string): Database.Database => opened.adopt(openStore(file), (db) => db.close());
  const [mainDb, activityDb] = [open(main.from), open(activity.from)];
  for (let tries = 1; ; tries++) {
    fix(mainDb);
    fix(activityDb);
    if (await isFitting()) break;
    mainDb.exec('COMMIT');
    activityDb.exec('COMMIT');
    if (tries === maxTries)
      throw new BackupError('the configuration kept changing. Try again when nobody changes it.');
  }
  const found = describe(mainDb, activityDb);
  const sizeOf = (db: Database.Database): number =>
    Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }));
  const [mainBytes, activityBytes] = [sizeOf(mainDb), sizeOf(activityDb)];
  const copy = (db: Database.Database, to: string, before: number) =>
    db.backup(to, {
      progress({ totalPages, remainingPages }) {
        const pageSize = Number(db.pragma('page_size', { simple: true }));
        onProgress(before + (totalPages - remainingPages) * pageSize, mainBytes + activityBytes);
        return pagesPerStep;
      },
    });
  await copy(mainDb, main.to, 0);
  await copy(activityDb, activity.to, mainBytes);
  mainDb.exec('COMMIT');
  activityDb.exec('COMMIT');
  return found;
}
