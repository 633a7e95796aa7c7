/** Checks stores of a backup, and makes them a new life of the team (specification/backup.md#after-a-restore). */
import Database from 'better-sqlite3';
import { auditTrail } from '../features/audit/audit-trail.sqlite.ts';
import { mintStoreId } from '../storage/sqlite/identity.sqlite.ts';
import { BackupError, type BackupManifest, isFull, notEnoughSpace } from './backup-format.ts';
import { auditHeadOf, blobsOf, countsOf, openStore } from './snapshot.sqlite.ts';
import { storeFaults, untrustedFaults } from './store-checks.sqlite.ts';
import { hasTable } from './store-schema.sqlite.ts';

export interface StoreFiles {
  main: string;
  activity: string;
}

/** More rows than the lost life of an activity store can have had after the backup. */
const activityLeap = 1_000_000_000;

function withStores<T>(
  files: StoreFiles,
  work: (main: Database.Database, activity: Database.Database) => T,
): T {
  using opened = new DisposableStack();
  const open = (file: string): Database.Database => opened.adopt(openStore(file), (db) => db.close());
  try {
    return work(open(files.main), open(files.activity));
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
    if (isFull(error)) throw notEnoughSpace();
    throw new BackupError(`the stores in the backup cannot be read (${error.code}). Use another backup.`);
  }
}

export interface RestoredCheck {
  /** A sentence per fault: what is damaged, and what differs from the manifest. */
  faults: string[];
  /** The number of contents that files refer to and that did not arrive. */
  missing: number;
  /** Paths of the files whose contents the backup should have, and that did not arrive, in order. */
  damaged: string[];
}

export function checkRestored(
  files: StoreFiles,
  { counts, audit, blobs, storeId }: BackupManifest,
  received: ReadonlySet<string>,
): RestoredCheck {
  return withStores(files, (main, activity) => {
    const untrusted = untrustedFaults(main, activity);
    if (untrusted.length > 0) return { faults: untrusted, missing: 0, damaged: [] };
    const faults = storeFaults(main, activity);
    if (faults.length > 0) return { faults, missing: 0, damaged: [] };
    const found = countsOf(main, activity);
    const differing = Object.keys({ ...counts, ...found })
      .filter((table) => counts[table] !== found[table])
      .map((table) => `"${table}" has ${found[table] ?? 0} rows instead of ${counts[table] ?? 0}`);
    const head = auditHeadOf(main);
    const isHead = head.seq === audit.seq && head.hash === audit.hash;
    const id = main.prepare<[], string>('SELECT id FROM store_identity').pluck().get();
    const known = new Set(blobsOf(main).map(({ hash }) => hash));
    const foreign = blobs.filter(({ hash }) => !known.has(hash)).length;
    const missing = [...known].filter((hash) => !received.has(hash)).length;
    const lost = new Set(blobs.map(({ hash }) => hash).filter((hash) => !received.has(hash)));
    const damaged = lost.size === 0 ? [] : pathsOf(main, lost);
    const differences = [
      ...differing,
      ...(isHead ? [] : ['the audit log does not end where the backup says']),
      ...(id === storeId ? [] : ['the stores belong to another team']),
      ...(foreign === 0 ? [] : [`${foreign} contents belong to no file`]),
    ];
    return { faults: differences, missing, damaged };
  });
}

const pathsOf = (main: Database.Database, hashes: ReadonlySet<string>): string[] =>
  main
    .prepare<[], { path: string; hash: string }>(
      'SELECT path, hash FROM fs_entry WHERE hash IS NOT NULL ORDER BY path',
    )
    .all()
    .filter(({ hash }) => hashes.has(hash))
    .map(({ path }) => path);

/**
 * Gives the stores a new identity, so that every cursor of the lost life leads to `reset`, and continues the
 * numbers of activity far above the lost ones. Sessions end: one that was ended since must not come back.
 * Entries that the outbox had already carried to the activity store are removed from it. Returns the new identity.
 */
export function beginNewLife(files: StoreFiles, { createdAt }: BackupManifest, now: number): string {
  return withStores(files, (main, activity) => {
    const storeId = mintStoreId();
    const before = main.prepare<[], string>('SELECT id FROM store_identity').pluck().get();
    const isCarried = activity.prepare<[string]>('SELECT 1 FROM activity WHERE source = ?');
    const settle = main.prepare<[number]>('DELETE FROM outbox WHERE id = ?');
    main.transaction(() => {
      for (const id of main.prepare<[], number>('SELECT id FROM outbox').pluck().all())
        if (isCarried.get(`${before}-${id}`) !== undefined) settle.run(id);
      main.prepare<[string]>('UPDATE store_identity SET id = ?').run(storeId);
      main.exec('DELETE FROM session');
      if (hasTable(main, 'audit'))
        auditTrail(main).append({
          at: now,
          kind: 'restored',
          via: 'host',
          member: null,
          credential: null,
          address: null,
          subject: null,
          before: { createdAt },
          after: null,
        });
    })();
    // The record that was the newest one in the lost life is not in the restored log.
    if (hasTable(activity, 'audit_anchor')) activity.exec('DELETE FROM audit_anchor');
    activity
      .prepare<[number]>("UPDATE sqlite_sequence SET seq = seq + ? WHERE name = 'activity'")
      .run(activityLeap);
    return storeId;
  });
}
