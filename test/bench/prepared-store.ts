/** Large stores for the bench, filled through the broker's own units (test/scale/fill-stores.ts), and brokers on them. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fillStores } from '../scale/fill-stores.ts';
import { memberNames, messageEveryMs, type TeamSize } from '../scale/team-shape.ts';
import { startBenchBroker } from './bench-broker.ts';
import type { Server } from './processes.ts';

export const usual: TeamSize = {
  messages: 1_000_000,
  body: 0,
  members: 500,
  channels: 200,
  objectives: 10_000,
  files: 20_000,
  activity: 100_000,
};
export const full: TeamSize = {
  messages: 10_000_000,
  body: 0,
  members: 5000,
  channels: 2000,
  objectives: 100_000,
  files: 200_000,
  activity: 1_000_000,
};

/** The shape of the team needs a few of everything. */
const fewest: TeamSize = {
  messages: 1000,
  body: 0,
  members: 10,
  channels: 20,
  objectives: 100,
  files: 200,
  activity: 1000,
};

const minuteMs = 60_000;

export function shareOf(whole: TeamSize, share: number): TeamSize {
  const of = (name: keyof TeamSize): number => Math.max(fewest[name], Math.round(whole[name] * share));
  return {
    messages: of('messages'),
    body: 0,
    members: of('members'),
    channels: of('channels'),
    objectives: of('objectives'),
    files: of('files'),
    activity: of('activity'),
  };
}

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
