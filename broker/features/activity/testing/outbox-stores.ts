/** Both stores, open, for tests of what crosses between them. */
import { createLog } from '../../../runtime/log.ts';
import { openStore, type Store } from '../../../storage/store-host.ts';
import type { BrokerActivity } from '../activity.sqlite.ts';
import type { ArrivedUnits, StagingUnits } from './outbox-thread.sqlite.ts';

export interface OutboxStores {
  main: Store<StagingUnits>;
  activity: Store<ArrivedUnits>;
  close(): Promise<void>;
}

export async function openOutboxStores(mainFile: string, activityFile: string): Promise<OutboxStores> {
  const threadModule = new URL('./outbox-thread.sqlite.ts', import.meta.url);
  const log = createLog({ level: 'silent' });
  const [main, activity] = await Promise.all([
    openStore<StagingUnits>({ store: 'main', file: mainFile, threadModule, log }),
    openStore<ArrivedUnits>({ store: 'activity', file: activityFile, threadModule, log }),
  ]);
  return {
    main,
    activity,
    async close() {
      await Promise.all([main.close(), activity.close()]);
    },
  };
}

export const activityNamed = (name: string): BrokerActivity => ({
  member: 'ada',
  ts: 1,
  kind: 'objective',
  event: name,
});
