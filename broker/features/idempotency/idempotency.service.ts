/**
 * Idempotency-Key: hashes the request, and makes a second request in flight wait for the first
 * (specification/api.md#idempotency).
 */
import { createHash } from 'node:crypto';
import { refuse } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { AnswerKey, IdempotencyUnits } from './idempotency.sqlite.ts';

export type { AnswerKey } from './idempotency.sqlite.ts';

const keyPattern = new RegExp(`^[!-~]{1,${limits.idempotencyKey.characters}}$`);

export interface Idempotency {
  /**
   * Runs `perform` with the key under which its answer is kept; null if the request has none.
   * @throws BrokerError bad_request for a key that is not 1 to 128 visible ASCII characters.
   */
  once<T>(request: KeyedRequest, perform: (key: AnswerKey | null) => Promise<T>): Promise<T>;
  /**
   * Replaces a kept answer with what was known only after the commit. Call it before the answer leaves, so
   * that a repeat says the same.
   */
  complete(key: AnswerKey, reply: string): Promise<void>;
  forgetOld(): Promise<void>;
}

export interface KeyedRequest {
  member: string;
  operation: string;
  /** The header as received. */
  key: string | undefined;
  /** The validated body. */
  body: unknown;
}

export function createIdempotency(deps: { units: IdempotencyUnits; clock: Clock }): Idempotency {
  const inFlight = new Map<string, Promise<unknown>>();
  const { keptMs } = limits.idempotencyKey;
  async function keyed<T>(
    { member, operation, key, body }: KeyedRequest & { key: string },
    perform: (key: AnswerKey) => Promise<T>,
  ): Promise<T> {
    if (!keyPattern.test(key)) refuse('idempotency_key_malformed');
    const bodyHash = createHash('sha256').update(JSON.stringify(body)).digest('hex');
    const slot = `${operation}\n${member}\n${key}`;
    for (let first = inFlight.get(slot); first !== undefined; first = inFlight.get(slot))
      await first.catch(() => undefined);
    const performed = perform({ member, operation, key, bodyHash, at: deps.clock(), keptMs });
    inFlight.set(slot, performed);
    try {
      return await performed;
    } finally {
      inFlight.delete(slot);
    }
  }

  return {
    once(request, perform) {
      return request.key === undefined ? perform(null) : keyed({ ...request, key: request.key }, perform);
    },
    complete: (key, reply) =>
      // If this cannot be written, the answer that was kept with the change stands: what was done must not be
      // refused for that.
      deps.units.completeAnswer({ key, reply }).catch(() => undefined),
    forgetOld: () => deps.units.forgetAnswers({ upTo: deps.clock() - keptMs }),
  };
}
