/**
 * The serving thread's side of a store: it collects one turn's calls, passes them to the writer or the reader
 * thread in one message, and resolves them when the thread answers. No statement ever runs on the thread that
 * serves HTTP and the tray (ADR 0015).
 */
import { Worker } from 'node:worker_threads';
import { BrokerError, refusal } from '#protocol/errors.ts';
import type { Log } from '../runtime/log.ts';
import { requestScope, type StoreTime } from '../runtime/request-scope.ts';
import { StartUpError } from '../runtime/start-up-error.ts';
import type { Span } from '../runtime/tracing.ts';
import type { ShipSettings } from '../standby/ship.ts';
import { createCallCosts, fairTurn } from './fair-turn.rules.ts';
import { createDamage, type Damage } from './store-damage.ts';
import { watchStore } from './store-watch.ts';
import {
  type Failure,
  type FromThread,
  isDamage,
  isUnwritten,
  movedWith,
  type ThreadRole,
  type ThreadSettings,
  type ToThread,
  type TurnTime,
} from './thread-messages.ts';

const inMemory = ':memory:';
/** The time that earlier calls may still wait for the database of the standbys. */
const closingTimeoutMs = 5000;

export interface ShippedStore extends ShipSettings {
  /** Called when this broker must not answer anybody anymore. */
  onLost: (reason: string) => void;
  /** Called when the file took something, and when it did not take what was to be written. */
  onWrite: (isTaken: boolean) => void;
}

export interface StoreOptions {
  /** Names the unit table that the thread loads. */
  store: string;
  /** A path, or `:memory:`, which lives in the writer thread and is also read there. */
  file: string;
  /** The module that a thread runs. */
  threadModule: URL;
  /** If its file is damaged, or cannot be opened or written, the store opens all the same and refuses every unit. */
  isOptional?: boolean;
  /** Others stand by for this broker. */
  ship?: ShippedStore | undefined;
  log: Log;
}

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

class UnusableStoreError extends StartUpError {}

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

interface Waiting {
  name: string;
  input: unknown;
  /** The member whose request calls; null for the broker itself. */
  caller: string | null;
  calledAt: number;
  /** Of the request that called; undefined outside requests. */
  time: StoreTime | undefined;
  /** Null if no traced request called. */
  span: Span | null;
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

type StoreThread = Awaited<ReturnType<typeof startThread>>;

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

async function startThread(
  { store, file, threadModule, ship, log }: StoreOptions,
  role: ThreadRole,
  damage: Damage,
) {
  const settings: ThreadSettings = { store, file, role };
  if (ship !== undefined && role === 'writer') {
    const { onLost: _, onWrite: __, ...rest } = ship;
    settings.ship = rest;
  }
  const worker = new Worker(threadModule, { workerData: settings, name: `${store}-${role}` });
  let waiting: Waiting[] = [];
  let scheduled = false;
  /**
   * One turn at a time: what arrives in the meantime makes the next one larger, and its commit cheaper per
   * unit (docs/benchmarks.md). Null if none is under way.
   */
  let underWay: Waiting[] | null = null;
  const costs = createCallCosts();
  let closing = false;
  let lastAnswerAt: number | null = null;
  const answered = { turns: 0, units: 0 };
  let broken: BrokerError | null = null;

  const first = await new Promise<FromThread>((resolve, reject) => {
    worker.on('message', (message: FromThread) => {
      if (!('lostTail' in message)) resolve(message);
      else
        log.error(
          { store },
          'the database that the machines share lost what it had confirmed; this broker has it and writes all of the store anew',
        );
    });
    worker.once('error', reject);
  });
  if ('failed' in first) {
    const { message, exitCode, isUnusable } = first.failed;
    throw isUnusable ? new UnusableStoreError(message, exitCode) : new StartUpError(message, exitCode);
  }
  if ('unshipped' in first) throw new StartUpError(first.unshipped, 75);
  if (!('ready' in first)) throw new Error('a store thread answered before it was ready');

  worker.on('message', (answer: FromThread) => {
    if ('unshipped' in answer) lose(answer.unshipped);
    if (!('values' in answer)) return;
    if (answer.failures.length < answer.values.length) {
      lastAnswerAt = Date.now();
      answered.turns += 1;
      answered.units += answer.values.length - answer.failures.length;
    }
    if (answer.isShipped) ship?.onWrite(true);
    else if (answer.failures.some(([, failure]) => isUnwritten(failure))) ship?.onWrite(false);
    const settled = underWay?.splice(0, answer.values.length) ?? [];
    for (const [index, ms] of (answer.callMs ?? []).entries()) costs.note(settled[index]?.name ?? '', ms);
    if (underWay?.length === 0) nextTurn();
    const failureByIndex = answer.failures.length === 0 ? null : new Map(answer.failures);
    const answeredAt = performance.now();
    for (let index = 0; index < settled.length; index++) {
      const call = settled[index] as Waiting;
      const failure = failureByIndex?.get(index);
      if (call.time !== undefined) addTo(call.time, call, answer, answeredAt);
      if (call.span !== null) traceCall(call.span, { store, call, time: answer, answeredAt, failure });
      if (failure === undefined) call.resolve(answer.values[index]);
      else call.reject(errorOf(failure, call, log, damage));
    }
  });
  /** Nobody is told anything of the turn: another broker may know that it is not in the log. */
  function lose(reason: string): void {
    log.fatal({ store, reason }, 'a turn could not be shipped to the standbys; the broker ends');
    breakOff();
    if (!closing) ship?.onLost(reason);
  }
  const settling: PromiseWithResolvers<void>[] = [];
  function nextTurn(): void {
    underWay = null;
    for (const { resolve } of settling.splice(0)) resolve();
    if (waiting.length > 0 && !scheduled) flush();
    else if (closing) askToEnd();
  }
  let isAsked = false;
  function askToEnd(): void {
    if (!isAsked) worker.postMessage('close' satisfies ToThread);
    isAsked = true;
  }
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  worker.on('error', (error) => {
    log.fatal(
      { store, role, err: error },
      'a store thread failed; the broker answers 503 until it is restarted',
    );
  });
  function breakOff(): void {
    broken = refusal('store_closed');
    for (const call of [...(underWay ?? []), ...waiting.splice(0), ...settling.splice(0)])
      call.reject(broken);
    underWay = null;
  }
  void exited.then(breakOff);

  function flush(): void {
    scheduled = false;
    // Writes go in the order of arrival, and together: that is what makes a commit cheap.
    const { calls, rest } =
      role === 'reader' ? fairTurn(waiting, ({ name }) => costs.of(name)) : { calls: waiting, rest: [] };
    waiting = rest;
    underWay = calls;
    const names = calls.map(({ name }) => name);
    const inputs = calls.map(({ input }) => input);
    try {
      worker.postMessage({ names, inputs } satisfies ToThread, movedWith(inputs));
    } catch (error) {
      underWay = null;
      rejectUncloneable(calls, error);
    }
  }

  /** Rejects the calls of a turn whose input cannot cross threads, for example because it is nested too deeply, and sends the others. */
  function rejectUncloneable(turn: readonly Waiting[], error: unknown): void {
    const cloneable = turn.filter(({ input }) => isCloneable(input));
    const sendable = cloneable.length < turn.length ? cloneable : [];
    for (const call of turn.filter((one) => !sendable.includes(one))) {
      log.error(
        { unit: call.name, err: error },
        'the input of a unit of work could not be sent to the store',
      );
      call.reject(refusal('internal_error'));
    }
    waiting = [...sendable, ...waiting];
    if (waiting.length > 0) schedule();
    else nextTurn();
  }

  function schedule(): void {
    if (scheduled || underWay !== null || waiting.length === 0) return;
    scheduled = true;
    setImmediate(flush);
  }

  return {
    names: first.ready,
    damage: first.damage,
    pending: () => waiting.length + (underWay?.length ?? 0),
    lastAnswerAt: () => lastAnswerAt,
    answered,
    /** Resolves when the turn that is under way is answered. @throws BrokerError if it will never be. */
    async settled(): Promise<void> {
      if (broken !== null) throw broken;
      if (underWay === null) return;
      const answered = Promise.withResolvers<void>();
      settling.push(answered);
      await answered.promise;
    },
    call(name: string, input: unknown): Promise<unknown> {
      if (broken !== null) return Promise.reject(broken);
      const calledAt = performance.now();
      const scope = requestScope.getStore();
      const time = scope?.storeTime;
      const span = scope?.span ?? null;
      const caller = scope?.origin.actor?.name ?? null;
      return new Promise((resolve, reject) => {
        waiting.push({ name, input, caller, calledAt, time, span, resolve, reject });
        schedule();
      });
    },
    async close(): Promise<void> {
      closing = true;
      if (!scheduled && underWay === null) askToEnd();
      // Without the database of the standbys, a turn never ends.
      const limit = settings.ship === undefined ? undefined : setTimeout(askToEnd, closingTimeoutMs);
      await exited;
      clearTimeout(limit);
    },
  };
}

function isCloneable(value: unknown): boolean {
  try {
    structuredClone(value);
    return true;
  } catch {
    return false;
  }
}

/** Adds what a call took to the time of its request, or of its span. */
function addTo(
  time: StoreTime,
  { calledAt }: Waiting,
  { turnMs, commitMs }: TurnTime,
  answeredAt: number,
): void {
  time.queue += Math.max(0, answeredAt - calledAt - turnMs);
  time.statements += turnMs - commitMs;
  time.commit += commitMs;
}

interface AnsweredCall {
  store: string;
  call: Waiting;
  time: TurnTime;
  answeredAt: number;
  failure: Failure | undefined;
}

function traceCall(span: Span, { store, call, time, answeredAt, failure }: AnsweredCall): void {
  const took: StoreTime = { queue: 0, statements: 0, commit: 0 };
  addTo(took, call, time, answeredAt);
  const refusal = failure !== undefined && 'refusal' in failure ? failure.refusal.reason : null;
  const facts = {
    'db.system.name': 'sqlite',
    'db.namespace': store,
    'db.operation.name': call.name,
    'muster.queue_ms': took.queue,
    'muster.statements_ms': took.statements,
    'muster.commit_ms': took.commit,
    ...(refusal !== null && { 'muster.refusal': refusal }),
  };
  const child = span.child({ name: `${call.name} ${store}`, kind: 'internal', facts }, call.calledAt);
  if (failure === undefined || 'refusal' in failure) child?.end();
  else child?.end('storage' in failure ? 'storage_failed' : 'internal_error');
}

/** The caller never sees the storage engine's words; the log does. */
function errorOf(failure: Failure, { name: unit, span }: Waiting, log: Log, damage: Damage): Error {
  if ('refusal' in failure) {
    const { code, reason, message, details, retryAfter } = failure.refusal;
    return new BrokerError(code, message, {
      reason,
      details,
      ...(retryAfter !== undefined && { retryAfter }),
    });
  }
  if (isDamage(failure)) {
    damage.note(failure.storage, unit);
    return damage.refusal();
  }
  if ('storage' in failure) {
    log.error(
      { unit, cause: failure.storage, ...span?.logIds() },
      'the store refused a unit of work; nothing of it was written',
    );
    return refusal('storage_failed');
  }
  log.error({ unit, cause: failure.bug, ...span?.logIds() }, 'a unit of work failed');
  return refusal('internal_error');
}
