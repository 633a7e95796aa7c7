/** `muster repair`: rebuilds what can be rebuilt of the stores of a stopped broker (specification/backup.md#repair). */
import { copyFileSync } from 'node:fs';
import process from 'node:process';
import { reasonOf } from '#platform/error-text.ts';
import { StartUpError } from '../runtime/start-up-error.ts';
import { activityLayout, activityMigrations } from '../storage/activity.migrations.ts';
import { mainMigrations } from '../storage/main.migrations.ts';
import { faultsOf, holdStore, realName, refuseNewerStore } from './damaged-store.sqlite.ts';
import { type RebuildRequest, type Rebuilt, rebuildStore } from './rebuilt-store.sqlite.ts';
import { obstacleOf, refuseInaccessible } from './repair-obstacle.ts';
import { isFilled, removeWorkFiles, shareAccess, takePlace, workFiles } from './replaced-store.ts';

export type { Rebuilt };

export interface StoreReport {
  store: 'main' | 'activity';
  /** Null if the store was not rebuilt. */
  rebuilt: Rebuilt | null;
  /** Only of a check: the result of a repair; null if it would rebuild nothing, or if that cannot be counted. */
  predicted?: Rebuilt | null;
  /** The present path of the damaged file; null if it was not moved. */
  damagedFile: string | null;
  faults: string[];
  /** The obstacle to the repair, and what to do about it; null if there was none. */
  obstacle: string | null;
  state: 'whole' | 'damaged' | 'rebuilt' | 'beyond repair';
}

export interface RepairRequest {
  mainPath: string;
  activityPath: string;
  /** Rebuilds each store beside it to count, and leaves it as it is. */
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

/** `use` gets the result while the new file is beside the damaged one. */
function rebuild<T>(file: string, kind: Kind, { onRows }: RepairRequest, use: (rebuilt: Rebuilt) => T): T {
  const { work, next } = workFiles(file);
  try {
    for (const end of ['', '-wal'])
      if (isFilled(`${file}${end}`)) copyFileSync(`${file}${end}`, `${work}${end}`);
    const onDone = (done: number) => onRows(kind.store, done);
    const rebuilt = rebuildStore({ file, from: work, to: next, ...kind, onRows: onDone });
    const { lasting, rebuildable } = faultsOf(next);
    const fault = lasting[0] ?? rebuildable[0];
    if (fault !== undefined) throw new Error(`the new file is not whole either (${fault})`);
    return use(rebuilt);
  } finally {
    removeWorkFiles(file);
  }
}

function repairStore(file: string, kind: Kind, request: RepairRequest): StoreReport {
  const { store, isSalvage } = kind;
  removeWorkFiles(file);
  const { lasting, rebuildable } = faultsOf(file);
  const faults = [...lasting, ...rebuildable];
  const report = {
    ...{ store, faults, rebuilt: null, damagedFile: null, obstacle: null },
    ...(request.isCheck && { predicted: null }),
  };
  if (faults.length === 0) return { ...report, state: 'whole' };
  if (lasting.length > 0 && !isSalvage) return { ...report, state: 'beyond repair' };
  const time = new Date(request.now).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  try {
    return rebuild(file, kind, request, (rebuilt) =>
      request.isCheck
        ? { ...report, predicted: rebuilt, state: 'damaged' }
        : { ...report, rebuilt, damagedFile: takePlace(file, `${file}.damaged-${time}`), state: 'rebuilt' },
    );
  } catch (error) {
    const obstacle = obstacleOf(error, file);
    if (obstacle !== null) return { ...report, obstacle, state: 'damaged' };
    if (error instanceof StartUpError) throw error;
    return { ...report, faults: [reasonOf(error), ...faults], state: 'beyond repair' };
  }
}

/** A kill at any moment leaves each damaged store complete, or the new one in its place. @throws StartUpError while a broker uses one of the stores, if a newer version wrote one of them, or if one cannot be written. */
export function repairStores(request: RepairRequest): StoreReport[] {
  const pathOf = { main: realName(request.mainPath), activity: realName(request.activityPath) };
  using locks = new DisposableStack();
  for (const file of Object.values(pathOf)) {
    refuseInaccessible(file);
    locks.use(holdStore(file));
    // The broker could not open a lock that belongs to root.
    if (process.getuid?.() === 0) shareAccess(file, `${file}.lock`);
  }
  for (const { store, migrations } of kinds) refuseNewerStore(pathOf[store], migrations.length);
  return kinds.map((kind) => repairStore(pathOf[kind.store], kind, request));
}
