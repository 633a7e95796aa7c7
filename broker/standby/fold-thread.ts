/** The thread of a broker that folds its log until it gets a message; it says why it cannot, and null when it can. */
import { parentPort, workerData } from 'node:worker_threads';
import { type FoldOptions, keepFolded } from './fold.ts';

const control = new AbortController();
parentPort?.once('message', () => control.abort());
const settings = workerData as Omit<FoldOptions, 'onFault' | 'signal'>;
await keepFolded({
  ...settings,
  onFault: (fault) => parentPort?.postMessage(fault),
  signal: control.signal,
});
parentPort?.close();
