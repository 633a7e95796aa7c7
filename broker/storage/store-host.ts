/**
 * The serving thread's side of a store, with its threads for writing and reading. No statement ever runs on the thread that
 * serves HTTP and the tray (ADR 0015).
 */
import { inMemory } from '#platform/store-places.ts';
import { type BrokerError, refusal } from '#protocol/errors.ts';
import { createDamage, type Damage } from './store-damage.ts';
import { watchStore } from './store-watch.ts';
import { type StoreOptions, type StoreThread, startThread, UnusableStoreError } from './thread-host.ts';

export type { ShippedStore, StoreOptions } from './thread-host.ts';

export interface Store<Units> {
  readonly units: Units;
  /** Whether a file of the store was deleted or replaced. Every write is refused then. */
  readonly isLost: boolean;
  /** The first damage that was found, or why the file cannot be used; null if none was found. */
  readonly damage: string | null;
  /** Keeps damage that `unit` found without failing, and logs it unless that unit has found some before. */
  noteDamage(cause: string, unit: string): void;
  /** Calls that wait for an answer. */
  readonly pending: number;
  /** When the last write was committed, epoch ms; null before the first. */
  readonly lastCommitAt: number | null;
  /** Turns of the writer in which something succeeded, and the units of work in them, since the start. */
  readonly committed: Readonly<{ turns: number; units: number }>;
  /**
   * Runs what was requested before, checkpoints, and closes the file. Threads end by themselves, because
   * ending one by force could tear a write.
   */
  close(): Promise<void>;
}

/**
 * The readers' threads start with the first read of their kind: a store that nobody reads needs one thread less (ADR 0013).
 * @throws StartUpError with the sentence of the thread that could not open the file.
 */
export async function openStore<Units>(options: StoreOptions): Promise<Store<Units>> {
  const damage = createDamage(options);
  let writer: StoreThread;
  try {
    writer = await startThread(options, 'writer', damage);
  } catch (error) {
    if (!options.isOptional || !(error instanceof UnusableStoreError)) throw error;
    damage.note(error.message);
    return absentStore(damage);
  }
  const isInMemory = options.file === inMemory;
  const reader = isInMemory ? writer : lazyReader(options, damage);
  const longReader = isInMemory ? writer : lazyReader(options, damage);
  const units: Record<string, (input: unknown) => Promise<unknown>> = {};
  const readWith = (thread: Pick<StoreThread, 'call'>, name: string) =>
    options.ship === undefined
      ? (input: unknown) => thread.call(name, input)
      : // It may have seen a commit that is not in the log yet.
        (input: unknown) => thread.call(name, input).finally(() => writer.settled());
  for (const name of writer.names.reads) units[name] = readWith(reader, name);
  for (const name of writer.names.longReads) units[name] = readWith(longReader, name);
  if (writer.damage !== null) damage.note(writer.damage);
  const watch = isInMemory ? null : await watchStore(options.file, options.log);
  const refused = (): BrokerError | null => {
    if (watch?.isLost) return refusal('store_lost');
    // More writes would spread the damage. Indispensable writes go on as long as SQLite can make them.
    return options.isOptional && damage.found !== null ? damage.refusal() : null;
  };
  const isJson = new Set(writer.names.fromJson);
  for (const name of writer.names.writes) {
    const call = isJson.has(name)
      ? (input: unknown) => writer.call(name, JSON.stringify(input))
      : (input: unknown) => writer.call(name, input);
    units[name] = (input) => {
      const error = refused();
      return error === null ? call(input) : Promise.reject(error);
    };
  }
  return {
    units: units as Units,
    get isLost() {
      return watch?.isLost ?? false;
    },
    get damage() {
      return damage.found;
    },
    noteDamage: damage.note,
    get pending() {
      return writer.pending() + (isInMemory ? 0 : reader.pending() + longReader.pending());
    },
    get lastCommitAt() {
      return writer.lastAnswerAt();
    },
    committed: writer.answered,
    async close() {
      watch?.stop();
      if (!isInMemory) await Promise.all([reader.close(), longReader.close()]);
      await writer.close();
    },
  };
}

/** A store whose file cannot be used. */
function absentStore<Units>(damage: Damage): Store<Units> {
  const refuseUnit = () => Promise.reject(damage.refusal());
  return {
    units: new Proxy({}, { get: () => refuseUnit }) as Units,
    isLost: false,
    damage: damage.found,
    noteDamage: damage.note,
    pending: 0,
    lastCommitAt: null,
    committed: { turns: 0, units: 0 },
    close: async () => undefined,
  };
}

function lazyReader(options: StoreOptions, damage: Damage): Pick<StoreThread, 'call' | 'pending' | 'close'> {
  let thread: StoreThread | null = null;
  let starting: Promise<StoreThread> | null = null;
  let waitingForStart = 0;
  let isClosed = false;

  async function started(): Promise<StoreThread> {
    if (isClosed) throw refusal('store_closed');
    waitingForStart += 1;
    try {
      starting ??= startThread(options, 'reader', damage);
      thread = await starting;
      return thread;
    } catch (error) {
      // The next read tries again.
      starting = null;
      options.log.error(
        { store: options.store, err: error },
        'the thread that reads the store does not start',
      );
      throw refusal('store_unreadable');
    } finally {
      waitingForStart -= 1;
    }
  }
  return {
    pending: () => waitingForStart + (thread?.pending() ?? 0),
    call: async (name, input) => (thread ?? (await started())).call(name, input),
    async close() {
      isClosed = true;
      await (await starting?.catch(() => null))?.close();
    },
  };
}
