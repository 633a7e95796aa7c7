/** The program of a store thread. It loads the units of its own store only. */
import { parentPort, workerData } from 'node:worker_threads';
import { runStoreThread, type StoreDefinition } from './storage/store-loop.ts';
import type { ThreadSettings } from './storage/thread-messages.ts';

const loadByStore: Record<string, () => Promise<{ definition: StoreDefinition }>> = {
  main: () => import('./main-store.ts'),
  activity: () => import('./activity-store.ts'),
};

const settings = workerData as ThreadSettings;
const load = loadByStore[settings.store];
if (parentPort === null || load === undefined) throw new Error('store-thread runs as a store thread only');
runStoreThread(parentPort, settings, (await load()).definition);
