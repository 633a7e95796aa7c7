/** Work that is repeated while the broker cannot be reached, such as the post of a reply. */
import { setTimeout as after } from 'node:timers/promises';
import { ConnectionError, type ConnectionReason } from '#client/connection-error.ts';
import { ToolError } from '../toolbox/tool.ts';

export interface Persistence {
  /** Does the work, and for up to an hour again while it fails for want of a broker. It must do the same thing however often it arrives. @throws its error. */
  persist<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Waits for what is under way, for at most this time, in ms, and then gives up. */
  stop(timeoutMs: number): Promise<void>;
}

const firstPauseMs = 1000;
const maxPauseMs = 15_000;
/** Far less than the broker keeps the key of a request. */
const maxMs = 3_600_000;

const passing: readonly ConnectionReason[] = ['refused', 'unreachable', 'broken', 'timeout'];

/** The broker cannot be reached, or it stops or begins. */
const isPassing = ({ cause }: ToolError): boolean =>
  cause === 503 || (cause instanceof ConnectionError && passing.includes(cause.reason));

export interface PersistenceDeps {
  /** The work failed for the first time, and is repeated. */
  onWait(error: ToolError): void;
  /** Rejects when the signal aborts. */
  pause?: (ms: number, signal: AbortSignal) => Promise<unknown>;
  /** In ms, of a clock that only goes on. */
  now?: () => number;
}

export function createPersistence({
  onWait,
  pause = (ms, signal) => after(ms, undefined, { signal }),
  now = () => performance.now(),
}: PersistenceDeps): Persistence {
  const underWay = new Set<Promise<unknown>>();
  const end = new AbortController();

  async function repeat<Result>(work: () => Promise<Result>): Promise<Result> {
    const begunAt = now();
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
      try {
        return await work();
      } catch (error) {
        const goesOn = error instanceof ToolError && isPassing(error) && now() - begunAt < maxMs;
        if (!goesOn || end.signal.aborted) throw error;
        if (pauseMs === firstPauseMs) onWait(error);
        await pause(pauseMs, end.signal).catch(() => {
          throw error;
        });
      }
    }
  }

  return {
    persist(work) {
      const done = repeat(work);
      underWay.add(done);
      const forget = () => void underWay.delete(done);
      done.then(forget, forget);
      return done;
    },
    async stop(timeoutMs) {
      if (underWay.size > 0)
        await Promise.race([
          Promise.allSettled(underWay),
          pause(timeoutMs, end.signal).catch(() => undefined),
        ]);
      end.abort();
    },
  };
}
