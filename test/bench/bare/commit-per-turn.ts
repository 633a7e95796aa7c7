/**
 * Baseline: node:http and one synced SQLite transaction per turn of the event loop, on the serving thread.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Database from 'better-sqlite3';

const db = new Database(process.argv[2]);
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');
db.exec('CREATE TABLE message (seq INTEGER PRIMARY KEY, ts INTEGER, body TEXT) STRICT');
const insert = db.prepare('INSERT INTO message (ts, body) VALUES (?, ?)');
let turn: { text: string; answer: (body: string) => void }[] = [];
const commit = db.transaction((rows: typeof turn) =>
  rows.map(({ text }) => insert.run(Date.now(), text).lastInsertRowid),
);

function flush(): void {
  const rows = turn;
  turn = [];
  const ids = commit(rows);
  for (const [index, row] of rows.entries())
    row.answer(JSON.stringify({ id: Number(ids[index]), message: JSON.parse(row.text) }));
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (turn.length === 0) setImmediate(flush);
    turn.push({
      text: Buffer.concat(chunks).toString(),
      answer: (body) =>
        response
          .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
          .end(body),
    });
  });
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
