/**
 * A process that holds a test store: `store-child.ts <file>` adds one item, prints a line, and stays until it
 * is killed.
 */
import process from 'node:process';
import { createLog } from '../../runtime/log.ts';
import { openStore } from '../store-host.ts';
import type { TestUnits } from './test-store-thread.ts';

const [file = ''] = process.argv.slice(2);
const threadModule = new URL('./test-store-thread.ts', import.meta.url);
const store = await openStore<TestUnits>({ store: 'test', file, threadModule, log: createLog() });
await store.units.add({ name: `of ${process.pid}` });
process.on('SIGUSR2', async () => {
  await store.units.add({ name: 'still there' });
  console.log('wrote again');
});
// Printed last, because the signal may come as soon as this is read.
console.log('holds it');
