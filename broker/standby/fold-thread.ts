/** The thread of a broker that folds its log; it says why it cannot, and null when it can. */
import { parentPort, workerData } from 'node:worker_threads';
import { type FoldOptions, keepFolded } from './fold.ts';

/** It ends with its thread. */
const { signal } = new AbortController();
const settings = workerData as Omit<FoldOptions, 'onFault' | 'signal'>;
await keepFolded({ ...settings, onFault: (fault) => parentPort?.postMessage(fault), signal });
