import { readFileSync } from 'node:fs';
import process from 'node:process';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';

/** Returns the `nice` value of the calling thread, as the system has it. */
const niceOf = `Number(require('node:fs').readFileSync('/proc/thread-self/stat', 'utf8').split(') ')[1].split(' ')[16])`;

it.skipIf(process.platform !== 'linux')(
  'lowers the priority of one thread and leaves the others where they are',
  async () => {
    const own = () => Number(readFileSync('/proc/thread-self/stat', 'utf8').split(') ')[1]?.split(' ')[16]);
    const before = own();
    const worker = new Worker(
      `import('${new URL('./thread-priority.ts', import.meta.url)}').then(({ goBehindOthers }) => {
       goBehindOthers();
       require('node:worker_threads').parentPort.postMessage(${niceOf});
     });`,
      { eval: true },
    );
    const nice = await new Promise((resolve, reject) =>
      worker.once('message', resolve).once('error', reject),
    );
    expect(nice).toBe(10);
    expect(own()).toBe(before);
    await worker.terminate();
  },
);
