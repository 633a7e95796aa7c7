/** Fills an activity store with old rows in seconds, with the broker's own schema and direct SQL. */
import { activityLayout, activityMigrations } from '../../broker/storage/activity.migrations.ts';
import { openDatabase } from '../../broker/storage/sqlite/open-database.ts';

const dayMs = 24 * 60 * 60_000;

/** The rows look as if they had been stored two days ago. */
export function fillActivity(file: string, rows: number): void {
  const db = openDatabase(file, 'writer', activityMigrations, activityLayout);
  db.pragma('synchronous = OFF');
  const insert = db.prepare(
    "INSERT INTO activity (member, ts, kind, created_at, event) VALUES ('other', ?, 'opaque_http', ?, ?)",
  );
  const start = Date.now() - 2 * dayMs - rows;
  db.transaction(() => {
    for (let n = 0; n < rows; n++) {
      const ts = start + n;
      const entry = {
        kind: 'opaque_http',
        startedAt: ts,
        endedAt: ts,
        host: 'h',
        method: 'GET',
        url: 'https://h/',
      };
      insert.run(ts, ts, JSON.stringify({ kind: 'opaque_http', ts, duration: 1, entry }));
    }
  })();
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
}
