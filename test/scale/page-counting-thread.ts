/**
 * Runs the broker's own store thread with a page cache of nothing, and reports which thread of the system it
 * is: each visit of a page is then a read that the system counts for this thread.
 */
import { readlinkSync } from 'node:fs';
import { type MessagePort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';

const { pragma } = Database.prototype;
// The connection's own size is set last when it is opened.
Database.prototype.pragma = function withoutCache(this: Database.Database, source: string, options) {
  const isCacheSize = source.startsWith('cache_size');
  return pragma.call(this, isCacheSize ? 'cache_size = 0' : source, options);
} as typeof pragma;

const { report }: { report: MessagePort } = workerData;
await import('../../broker/store-thread.ts');
report.postMessage(readlinkSync('/proc/thread-self'));
report.close();
