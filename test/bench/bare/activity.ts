/**
 * Baseline: node:http that parses a batch of events and inserts them in one synced transaction on the serving
 * thread. It checks nothing.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Database from 'better-sqlite3';

const db = new Database(process.argv[2]);
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');
db.exec('CREATE TABLE activity (id INTEGER PRIMARY KEY, ts INTEGER, kind TEXT, event TEXT) STRICT');
const insert = db.prepare('INSERT INTO activity (ts, kind, event) VALUES (?, ?, ?)');
const store = db.transaction((events: { ts: number; kind: string }[]) => {
  for (const event of events) insert.run(event.ts, event.kind, JSON.stringify(event));
});

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { events } = JSON.parse(Buffer.concat(chunks).toString());
    store(events);
    const body = JSON.stringify({ accepted: events.length });
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
      .end(body);
  });
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
