import { readFileSync } from 'node:fs';
import process from 'node:process';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';

/** Returns the `nice` value of the calling thread, as the system has it. */
const niceOf = `Number(require('node:fs').readFileSync('/proc/thread-self/stat', 'utf8').split(') ')[1].split(' ')[16])`;

it.skipIf(process.platform !== 'linux').each([
  ['reading', 4],
  ['background', 10],
])('lowers the priority of one thread for %s and leaves the others where they are', async (work, steps) => {
  const own = () => Number(readFileSync('/proc/thread-self/stat', 'utf8').split(') ')[1]?.split(' ')[16]);
  const before = own() ?? 0;
  const worker = new Worker(
    `import('${new URL('./thread-priority.ts', import.meta.url)}').then(({ goBehindOthers }) => {
       goBehindOthers('${work}');
       require('node:worker_threads').parentPort.postMessage(${niceOf});
     });`,
    { eval: true },
  );
  const nice = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  expect(nice).toBe(Math.min(19, before + steps));
  expect(own()).toBe(before);
  await worker.terminate();
});
