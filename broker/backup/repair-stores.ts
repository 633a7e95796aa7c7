/** `muster repair`: rebuilds what can be rebuilt of the stores of a stopped broker (specification/backup.md#repair). */
import { copyFileSync, linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { reasonOf } from '#platform/error-text.ts';
import { syncFolderSync } from '#platform/synced-file.ts';
import { StartUpError } from '../runtime/start-up-error.ts';
import { activityLayout, activityMigrations } from '../storage/activity.migrations.ts';
import { mainMigrations } from '../storage/main.migrations.ts';
import { faultsOf, foldLog, holdStore, realName, refuseNewerStore } from './damaged-store.sqlite.ts';
import { type RebuildRequest, type Rebuilt, rebuildStore } from './rebuilt-store.sqlite.ts';

export type { Rebuilt };

export interface StoreReport {
  store: 'main' | 'activity';
  /** Null if the store was not rebuilt. */
  rebuilt: Rebuilt | null;
  /** Where the damaged file is now; null if it is where it was. */
  damagedFile: string | null;
  faults: string[];
  state: 'whole' | 'damaged' | 'rebuilt' | 'beyond repair';
}

export interface RepairRequest {
  mainPath: string;
  activityPath: string;
  /** Changes nothing. */
  isCheck: boolean;
  now: number;
  onRows: (store: StoreReport['store'], done: number) => void;
}

interface Kind {
  store: StoreReport['store'];
  migrations: readonly string[];
  layout: RebuildRequest['layout'];
  /** Whether a store with fewer rows is better than none. */
  isSalvage: boolean;
}

const kinds: readonly Kind[] = [
  { store: 'main', migrations: mainMigrations, layout: {}, isSalvage: false },
  { store: 'activity', migrations: activityMigrations, layout: activityLayout, isSalvage: true },
];

const beside = ['', '-wal', '-shm'];

function removeStore(file: string): void {
  for (const end of beside) rmSync(`${file}${end}`, { force: true });
}

const isFilled = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;

/** Gives the damaged store a second name. */
function setAside(file: string, aside: string): void {
  foldLog(file);
  try {
    linkSync(file, aside);
  } catch {
    // A file system without links.
    copyFileSync(file, aside);
  }
  // Beside the new file, SQLite would take the log for its own.
  if (isFilled(`${file}-wal`)) renameSync(`${file}-wal`, `${aside}-wal`);
  for (const end of ['-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
}

/** A kill at any moment leaves the damaged store complete, or the new one in its place. */
function replace(
  file: string,
  kind: Kind,
  { now, onRows }: RepairRequest,
): Pick<StoreReport, 'rebuilt' | 'damagedFile'> {
  const damagedFile = `${file}.damaged-${new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;
  const [work, next] = [`${file}.repair-old`, `${file}.repair-new`];
  for (const path of [work, next]) removeStore(path);
  try {
    for (const end of ['', '-wal'])
      if (isFilled(`${file}${end}`)) copyFileSync(`${file}${end}`, `${work}${end}`);
    const onDone = (done: number) => onRows(kind.store, done);
    const rebuilt = rebuildStore({ file, from: work, to: next, ...kind, onRows: onDone });
    const { lasting, rebuildable } = faultsOf(next);
    const fault = lasting[0] ?? rebuildable[0];
    if (fault !== undefined) throw new Error(`the new file is not whole either (${fault})`);
    setAside(file, damagedFile);
    renameSync(next, file);
    syncFolderSync(dirname(file));
    return { rebuilt, damagedFile };
  } finally {
    for (const path of [work, next]) removeStore(path);
  }
}

function repairStore(file: string, kind: Kind, request: RepairRequest): StoreReport {
  const { store, isSalvage } = kind;
  const { lasting, rebuildable } = faultsOf(file);
  const faults = [...lasting, ...rebuildable];
  const report = { store, faults, rebuilt: null, damagedFile: null };
  if (faults.length === 0) return { ...report, state: 'whole' };
  if (lasting.length > 0 && !isSalvage) return { ...report, state: 'beyond repair' };
  if (request.isCheck) return { ...report, state: 'damaged' };
  try {
    return { ...report, ...replace(file, kind, request), state: 'rebuilt' };
  } catch (error) {
    if (error instanceof StartUpError) throw error;
    return { ...report, faults: [reasonOf(error), ...faults], state: 'beyond repair' };
  }
}

/** @throws StartUpError while a broker uses one of the stores, or if a newer version wrote one of them. */
export function repairStores(request: RepairRequest): StoreReport[] {
  const pathOf = { main: realName(request.mainPath), activity: realName(request.activityPath) };
  using locks = new DisposableStack();
  for (const { store } of kinds) locks.use(holdStore(pathOf[store]));
  for (const { store, migrations } of kinds) refuseNewerStore(pathOf[store], migrations.length);
  return kinds.map((kind) => repairStore(pathOf[kind.store], kind, request));
}
