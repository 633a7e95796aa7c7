/** Counts the pages of a store's file that its reading units visit. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { FromThread, ToThread } from '../../broker/storage/thread-messages.ts';

/** Only Linux counts what one thread reads. */
export const canCountPages = process.platform === 'linux' && canReadOwnCount();

const pageBytes = 4096;

export interface CountingReader {
  /** The names of the store's reading units. */
  names: string[];
  /** Runs a unit and returns how many pages it visited: each visit counts, however often a page is visited. */
  visitsOf(unit: string, input: unknown): Promise<number>;
  close(): Promise<void>;
}

/** Opens a store's file, which nobody writes, as the broker's reading thread does. */
export async function openCountingReader(store: string, file: string): Promise<CountingReader> {
  const { port1, port2 } = new MessageChannel();
  const worker = new Worker(new URL('./page-counting-thread.ts', import.meta.url), {
    workerData: { store, file, role: 'reader', report: port2 },
    transferList: [port2],
  });
  const exited = once(worker, 'exit');
  const [[first], [thread]] = (await Promise.all([once(worker, 'message'), once(port1, 'message')])) as [
    [FromThread],
    [string],
  ];
  if (!('ready' in first)) throw new Error(`the store does not open: ${JSON.stringify(first)}`);

  async function run(unit: string, input: unknown): Promise<void> {
    const answered = once(worker, 'message') as Promise<[FromThread]>;
    worker.postMessage({ names: [unit], inputs: [input] } satisfies ToThread);
    const [answer] = await answered;
    if (!('values' in answer) || answer.failures.length > 0)
      throw new Error(`${unit} failed: ${JSON.stringify(answer)}`);
  }

  async function counted(unit: string, input: unknown): Promise<number> {
    const before = bytesReadBy(thread);
    await run(unit, input);
    // A thread also reads some bytes when it is woken, far less than a page.
    return Math.floor((bytesReadBy(thread) - before) / pageBytes);
  }

  return {
    names: [...first.ready.reads, ...first.ready.longReads],
    async visitsOf(unit, input) {
      // The pages that a unit loads the first time are not counted.
      await run(unit, input);
      // Now and then, the thread reads something for itself.
      return Math.min(await counted(unit, input), await counted(unit, input));
    },
    async close() {
      worker.postMessage('close' satisfies ToThread);
      await exited;
    },
  };
}

/** `thread`: its folder below /proc. */
function bytesReadBy(thread: string): number {
  const counted = /^rchar: (\d+)$/m.exec(readFileSync(`/proc/${thread}/io`, 'utf8'))?.[1];
  if (counted === undefined) throw new Error('the system does not count what a thread reads');
  return Number(counted);
}

function canReadOwnCount(): boolean {
  try {
    return bytesReadBy('thread-self') > 0;
  } catch {
    return false;
  }
}
