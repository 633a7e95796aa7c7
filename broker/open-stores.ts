/** The data that a broker stores, opened in this order: the key, the configuration and its overlay, both stores. */

import { inMemory } from '#platform/store-places.ts';
import type { ActivityStoreUnits } from './activity-store.ts';
import type { BrokerOptions, KeyKeeping } from './broker.ts';
import { type ConfigStore, openConfig } from './config/config-store.ts';
import { openKek } from './config/kek-file.ts';
import { openPlatformOverlay, type PlatformOverlay } from './config/platform-overlay.ts';
import type { MainUnits } from './main-store.ts';
import { refuseCopy } from './standby/kept-position.ts';
import { filesRootOf } from './storage/blobs/bucket-address.ts';
import { refuseLostStore } from './storage/lost-store.ts';
import { openStore, type Store } from './storage/store-host.ts';

export interface NamedStore<Units> {
  name: string;
  /** Null for a store in memory. */
  file: string | null;
  store: Store<Units>;
}

export interface OpenedStores {
  config: ConfigStore;
  overlay: PlatformOverlay;
  keyKeeping: KeyKeeping;
  /** Sentences about the key for the person who starts the broker. */
  keyNotices: readonly string[];
  main: NamedStore<MainUnits>;
  activity: NamedStore<ActivityStoreUnits>;
  /** Sentences about what does not last. */
  memoryNotices: readonly string[];
  /** Deletes what is no longer needed of the key. Call it once the broker has started with it. */
  removePlainKey(): Promise<void>;
  /** Closes both stores. */
  close(): Promise<void>;
}

const threadModule = new URL('./store-thread.ts', import.meta.url);

/**
 * @throws StartUpError with one sentence that says what to do; files are left as they were, and nothing stays
 *   open.
 */
export async function openStores(
  options: Pick<
    BrokerOptions,
    'configPath' | 'dbPath' | 'activityDbPath' | 'beginAnew' | 'env' | 'keychain' | 'term' | 'log'
  >,
): Promise<OpenedStores> {
  const { configPath, dbPath = inMemory, activityDbPath = inMemory, term, log } = options;
  if (term === undefined)
    for (const store of [dbPath, activityDbPath])
      refuseCopy(store, 'the broker does not start without SVC_STANDBY_URL');
  const kek = await openKek({ configPath, env: options.env ?? process.env, keychain: options.keychain });
  const config = await openConfig({ path: configPath, kek, onReplaced: term?.keepFiles });
  const overlay = await openPlatformOverlay(configPath, term?.keepFiles);
  const { current } = config;
  if (current !== null && !options.beginAnew)
    await refuseLostStore({
      main: dbPath,
      activity: activityDbPath,
      files: current.files === undefined ? null : filesRootOf(configPath, current.files.root),
    });
  const [mainStore, activityStore] = await openTogether(
    openStore<MainUnits>({ store: 'main', file: dbPath, threadModule, ship: term?.ship('main'), log }),
    openStore<ActivityStoreUnits>({
      store: 'activity',
      file: activityDbPath,
      threadModule,
      isOptional: true,
      ship: term?.ship('activity'),
      log,
    }),
  );
  await term?.keepFiles(config.current === null ? undefined : config.content);
  return {
    config,
    overlay,
    keyKeeping: {
      place: kek.place,
      path: kek.path,
      reveal: () => kek.key.export().toString('base64'),
    },
    keyNotices: kek.notices,
    main: { name: 'main', file: fileOf(dbPath), store: mainStore },
    activity: { name: 'activity', file: fileOf(activityDbPath), store: activityStore },
    memoryNotices: memoryNotices(dbPath, activityDbPath),
    removePlainKey: () =>
      kek.removePlain().catch((err: unknown) => log.warn({ err }, 'the plain key file could not be removed')),
    async close() {
      await Promise.all([mainStore.close(), activityStore.close()]);
    },
  };
}

const fileOf = (path: string): string | null => (path === inMemory ? null : path);

/** Opens both or neither: a store that opened is closed again if the other one could not be opened. */
async function openTogether<A, B>(a: Promise<Store<A>>, b: Promise<Store<B>>): Promise<[Store<A>, Store<B>]> {
  try {
    return await Promise.all([a, b]);
  } catch (error) {
    for (const opening of [a, b]) await opening.then((store) => store.close()).catch(() => undefined);
    throw error;
  }
}

/** Printed at start, so that nobody mistakes an in-memory store for a persistent one. */
function memoryNotices(dbPath: string, activityDbPath: string): string[] {
  const fleeting = [
    ...(dbPath === inMemory ? ['stores.main'] : []),
    ...(activityDbPath === inMemory ? ['stores.activity'] : []),
  ];
  if (fleeting.length === 0) return [];
  const what = dbPath === inMemory ? 'everything but the configuration' : 'activity';
  return [
    `${what} is kept in memory only and is lost when this process ends; to keep it, name a file in ${fleeting.join(' and ')} of the configuration`,
  ];
}
