/** Stores for tests, in a folder that is deleted when the test ends. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createLog, type Log } from '../../runtime/log.ts';
import { openStore, type Store } from '../store-host.ts';
import type { TestUnits } from './test-store-thread.ts';

export async function testFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-store-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A log that is kept in memory; `lines` are its JSON objects so far. */
export function keptLog(): { log: Log; lines: () => Record<string, unknown>[] } {
  const written: string[] = [];
  const log = createLog({ destination: { write: (line: string) => void written.push(line) } });
  return { log, lines: () => written.map((line) => JSON.parse(line)) };
}

/** Opens a store with a thread module of this repository and closes it when the test ends. */
export async function openForTest<Units>(options: {
  store: string;
  file: string;
  threadModule: URL;
  log?: Log;
}): Promise<Store<Units>> {
  const store = await openStore<Units>({ log: keptLog().log, ...options });
  onTestFinished(() => store.close());
  return store;
}

export const testThread = new URL('./test-store-thread.ts', import.meta.url);

export const openTestStore = (file: string, log?: Log): Promise<Store<TestUnits>> =>
  openForTest<TestUnits>({
    store: 'test',
    file,
    threadModule: testThread,
    ...(log !== undefined && { log }),
  });
