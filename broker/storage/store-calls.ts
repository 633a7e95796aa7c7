/** The calls of a store that wait for their thread, and what their callers get to know. */
import { BrokerError, refusal } from '#protocol/errors.ts';
import type { Log } from '../runtime/log.ts';
import type { StoreTime } from '../runtime/request-scope.ts';
import type { Span } from '../runtime/tracing.ts';
import type { Damage } from './store-damage.ts';
import { type Failure, isDamage, type TurnTime } from './thread-messages.ts';

export interface Waiting {
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

export function isCloneable(value: unknown): boolean {
  try {
    structuredClone(value);
    return true;
  } catch {
    return false;
  }
}

/** Adds what a call took to the time of its request, or of its span. */
export function addTo(
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

export function traceCall(span: Span, { store, call, time, answeredAt, failure }: AnsweredCall): void {
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
export function errorOf(failure: Failure, { name: unit, span }: Waiting, log: Log, damage: Damage): Error {
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
