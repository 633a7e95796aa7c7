/**
 * Baseline: node:http whose messages a thread of its own stores, one synced SQLite transaction for all that
 * arrived meanwhile. It checks nothing.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';

if (isMainThread) serve(process.argv[2] ?? '');
else write(workerData);

function serve(file: string): void {
  const writer = new Worker(new URL(import.meta.url), { workerData: file });
  let waiting: { text: string; answer: (body: string) => void }[] = [];
  let underWay: typeof waiting = [];
  let isBusy = false;

  function flush(): void {
    isBusy = waiting.length > 0;
    if (!isBusy) return;
    underWay = waiting;
    waiting = [];
    writer.postMessage(underWay.map(({ text }) => text));
  }
  writer.on('message', (ids: number[]) => {
    for (const [index, { text, answer }] of underWay.entries())
      answer(JSON.stringify({ id: ids[index], message: JSON.parse(text) }));
    flush();
  });

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      waiting.push({
        text: Buffer.concat(chunks).toString(),
        answer: (body) =>
          response
            .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
            .end(body),
      });
      if (!isBusy) {
        isBusy = true;
        setImmediate(flush);
      }
    });
  });
  server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
}

function write(file: string): void {
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec('CREATE TABLE message (seq INTEGER PRIMARY KEY, ts INTEGER, body TEXT) STRICT');
  const insert = db.prepare('INSERT INTO message (ts, body) VALUES (?, ?)');
  const commit = db.transaction((texts: string[]) =>
    texts.map((text) => Number(insert.run(Date.now(), text).lastInsertRowid)),
  );
  parentPort?.on('message', (texts: string[]) => parentPort?.postMessage(commit(texts)));
}
