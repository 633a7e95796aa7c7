import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import type { ThreadSettings, ToThread } from './storage/thread-messages.ts';

/** Loaded before anything else in the thread. */
const guard = `
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === 'zod') throw new Error('a store thread loads zod: ' + context.parentURL);
      return next(specifier, context);
    },
  });
`;

it.each(['main', 'activity'] as const)(
  'starts the threads of the %s store without schemas, which take as long to load as everything else',
  async (store) => {
    const workerData = { store, file: ':memory:', role: 'writer' } satisfies ThreadSettings;
    const execArgv = ['--import', `data:text/javascript,${encodeURIComponent(guard)}`];
    const worker = new Worker(new URL('./store-thread.ts', import.meta.url), { workerData, execArgv });
    // A module that cannot be loaded rejects this.
    const [first] = await once(worker, 'message');
    expect(first).toHaveProperty('ready');
    const exited = once(worker, 'exit');
    worker.postMessage('close' satisfies ToThread);
    await exited;
  },
);
