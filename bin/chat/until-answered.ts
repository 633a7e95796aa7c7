/** Repeats a call until the broker answers it. */
import { setTimeout as pause } from 'node:timers/promises';
import { ConnectionError } from '#client/connection-error.ts';
import { BrokerError } from '#protocol/errors.ts';

export interface PersistenceOptions {
  /** Gives up: the last failure is thrown. */
  signal: AbortSignal;
  /** Called at the first failure. */
  onDelay?: (reason: string) => void;
  /** Resolves early if another attempt is worth it. */
  nudge?: () => Promise<void>;
}

const firstDelayMs = 250;
const maxDelayMs = 10_000;

/**
 * @throws what another attempt cannot fix: a refusal of the broker, or anything that does not concern the
 *   connection.
 */
export async function untilAnswered<T>(work: () => Promise<T>, options: PersistenceOptions): Promise<T> {
  const { signal, onDelay, nudge } = options;
  for (let failures = 0; ; failures++) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || !mayPass(error)) throw error;
      if (failures === 0) onDelay?.(error.message);
      const asked = error instanceof BrokerError ? (error.retryAfter ?? 0) * 1000 : 0;
      const delayMs = Math.max(asked, Math.min(firstDelayMs * 2 ** failures, maxDelayMs));
      const waited = pause(delayMs * (1 + Math.random() / 2), undefined, { signal }).catch(() => {});
      // If the broker names a time, the client waits that long.
      await (nudge === undefined || asked > 0 ? waited : Promise.race([waited, nudge()]));
      if (signal.aborted) throw error;
    }
  }
}

function mayPass(error: unknown): error is Error {
  if (error instanceof ConnectionError) return true;
  return (
    error instanceof BrokerError && (error.status >= 500 || error.status === 429 || error.status === 408)
  );
}
