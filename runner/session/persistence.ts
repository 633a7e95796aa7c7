/** Work that is repeated while the broker cannot be reached, such as the post of a reply. */
import { setTimeout as after } from 'node:timers/promises';
import { ConnectionError } from '#client/connection-error.ts';
import { ToolError } from '../toolbox/tool.ts';

export interface Persistence {
  /** Does the work, again and again while it fails for want of a broker. It must do the same thing however often it arrives. @throws its error. */
  persist<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Waits for what is under way, for at most this time, in ms, and then gives up. */
  stop(timeoutMs: number): Promise<void>;
}

const firstPauseMs = 1000;
const maxPauseMs = 15_000;

/** The broker cannot be reached, or it stops or begins. */
const isPassing = (error: unknown): boolean =>
  error instanceof ToolError && (error.cause instanceof ConnectionError || error.cause === 503);

/** `pause` rejects when the signal aborts. */
export function createPersistence(
  pause: (ms: number, signal: AbortSignal) => Promise<unknown> = (ms, signal) =>
    after(ms, undefined, { signal }),
): Persistence {
  const underWay = new Set<Promise<unknown>>();
  const end = new AbortController();

  async function repeat<Result>(work: () => Promise<Result>): Promise<Result> {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
      try {
        return await work();
      } catch (error) {
        if (!isPassing(error) || end.signal.aborted) throw error;
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
