/** Fills the stores of a broker that does not run, in the files that it then opens. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ActivityStoreUnits } from '../../broker/activity-store.ts';
import type { MainUnits } from '../../broker/main-store.ts';
import { createLog } from '../../broker/runtime/log.ts';
import { openStore } from '../../broker/storage/store-host.ts';
import { fillActivityStore } from './fill-activity-store.ts';
import { type FillOptions, fillMainStore } from './fill-main-store.ts';
import type { FilledStore } from './reads.ts';
import type { TeamSize } from './team-shape.ts';

const threadModule = new URL('../../broker/store-thread.ts', import.meta.url);

/** Creates `folder` with `main.db` and `activity.db`. */
export async function fillStores(folder: string, size: TeamSize, options: FillOptions): Promise<FilledStore> {
  mkdirSync(folder, { recursive: true });
  const open = <Units>(store: string) =>
    openStore<Units>({ store, file: join(folder, `${store}.db`), threadModule, log: createLog() });
  const main = await open<MainUnits>('main');
  await fillMainStore(main.units, size, options);
  const newest = (await main.units.lastAccepted()).seq;
  await main.close();
  options.onPart('activity');
  const activity = await open<ActivityStoreUnits>('activity');
  await fillActivityStore(activity.units, size.activity, options.start);
  await activity.close();
  return { size, start: options.start, newest };
}
