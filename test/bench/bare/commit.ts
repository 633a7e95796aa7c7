/** Baseline: synced single-row SQLite commits, one after another. Prints the median in milliseconds. */
import Database from 'better-sqlite3';

const db = new Database(process.argv[2]);
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');
db.exec('CREATE TABLE message (seq INTEGER PRIMARY KEY, ts INTEGER, body TEXT) STRICT');
const insert = db.prepare('INSERT INTO message (ts, body) VALUES (?, ?)');
const times: number[] = [];
for (let n = 0; n < 3000; n++) {
  const start = performance.now();
  insert.run(n, 'x'.repeat(80));
  times.push(performance.now() - start);
}
times.sort((a, b) => a - b);
console.log(times[times.length >> 1]);
