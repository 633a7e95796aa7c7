/** Large stores for the bench, filled through the broker's own units (test/scale/fill-stores.ts), and brokers on them. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fillStores } from '../scale/fill-stores.ts';
import { memberNames, messageEveryMs, type TeamSize } from '../scale/team-shape.ts';
import { startBenchBroker } from './bench-broker.ts';
import type { Server } from './processes.ts';

const minuteMs = 60_000;

export interface PreparedStore {
  folder: string;
  size: TeamSize;
}

/** Fills the stores in a folder of `folder`, unless an earlier run kept them there. */
export async function prepareStore(folder: string, size: TeamSize): Promise<PreparedStore> {
  const place = join(folder, Object.values(size).join('-'));
  const filled = join(place, 'filled');
  if (existsSync(filled)) return { folder: place, size };
  rmSync(place, { recursive: true, force: true });
  const startedAt = performance.now();
  const onPart = (part: string): void => {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    console.error(`${size.messages.toLocaleString('en')} messages, ${seconds} s: ${part}`);
  };
  // Everything is in the past, and the newest is recent.
  const messages = (size.messages + 2 * size.objectives) * messageEveryMs;
  const start = Date.now() - Math.max(messages, size.activity * minuteMs) - minuteMs;
  await fillStores(place, size, { start, onPart });
  writeFileSync(filled, '');
  onPart('filled');
  return { folder: place, size };
}

/** `command`: the path of `svc`; by default, that of the checkout. */
export const startOnStore = ({ folder, size }: PreparedStore, command?: string): Promise<Server> =>
  startBenchBroker(folder, memberNames(size).slice(2), command);
