/**
 * Loaded before a program with `--import`: appends a line for each module that it loads to the file
 * SVC_TEST_MODULES. The line begins with the store of a store thread, or `main-thread`.
 */
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import process from 'node:process';
import { isMainThread, workerData } from 'node:worker_threads';

const file = process.env.SVC_TEST_MODULES ?? '';
const thread: string = isMainThread ? 'main-thread' : workerData.store;
registerHooks({
  load(url, context, next) {
    appendFileSync(file, `${thread} ${url}\n`);
    return next(url, context);
  },
});
