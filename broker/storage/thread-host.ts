/** The serving side of one thread of a store: it sends the calls of a turn, and settles them when the thread answers. */
import { Worker } from 'node:worker_threads';
import { type BrokerError, refusal } from '#protocol/errors.ts';
import type { Log } from '../runtime/log.ts';
import { requestScope } from '../runtime/request-scope.ts';
import { StartUpError } from '../runtime/start-up-error.ts';
import type { ShipSettings } from '../standby/ship.ts';
import { createCallCosts, fairTurn } from './fair-turn.rules.ts';
import { addTo, errorOf, isCloneable, traceCall, type Waiting } from './store-calls.ts';
import type { Damage } from './store-damage.ts';
import {
  type FromThread,
  isUnwritten,
  movedWith,
  type ThreadRole,
  type ThreadSettings,
  type ToThread,
} from './thread-messages.ts';

export interface ShippedStore extends ShipSettings {
  /** Called when this broker must not answer anybody anymore. */
  onLost: (reason: string) => void;
  /** Called when the file took something, and when it did not take what was to be written. */
  onWrite: (isTaken: boolean) => void;
  /** Called with the reason when the log of the standbys takes nothing, and with null when it does again. */
  onUntaken: (reason: string | null) => void;
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

/** The time that earlier calls may still wait for the database of the standbys. */
const closingTimeoutMs = 5000;

/** The file cannot be opened or written, but the rest of the broker can do without it. */
export class UnusableStoreError extends StartUpError {}

export type StoreThread = Awaited<ReturnType<typeof startThread>>;

export async function startThread(
  { store, file, threadModule, ship, log }: StoreOptions,
  role: ThreadRole,
  damage: Damage,
) {
  const settings: ThreadSettings = { store, file, role };
  if (ship !== undefined && role === 'writer') {
    const { onLost: _, onWrite: __, onUntaken: ___, ...rest } = ship;
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
      if ('untaken' in message) ship?.onUntaken(message.untaken);
      else if (!('lostTail' in message)) resolve(message);
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
