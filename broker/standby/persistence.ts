/** Writes to the database until they are done, however long it cannot be reached. */
import { setTimeout as pause } from 'node:timers/promises';
import { reasonOf } from '#platform/error-text.ts';
import { connectPageLog, Deposed, LostTail, type PageLog, type PageLogOptions } from './page-log.ts';

export interface Persistence {
  /** `work` may be done several times. @throws Deposed, LostTail; after `stop`, what failed. */
  persist(work: (log: PageLog) => Promise<void>): Promise<void>;
  /** From now on, work that fails is not repeated. */
  stop(): void;
  /** Ends the connection, and what waits for its answer. Everything fails from now on. */
  end(): void;
}

const retryMs = { first: 50, most: 1000 };

/** `onFault`: called with the reason when something has failed for some seconds, and with null when the database took it. */
export function createPersistence(
  options: PageLogOptions,
  onFault: (reason: string | null) => void = () => undefined,
): Persistence {
  let log: PageLog | null = null;
  let isStopping = false;
  let hasEnded = false;

  async function connected(): Promise<PageLog> {
    if (log === null || log.isLost) log = await connectPageLog(options);
    if (hasEnded) {
      log.end();
      throw new Error('this broker ends');
    }
    return log;
  }

  return {
    async persist(work) {
      for (let waitMs = retryMs.first; ; waitMs = Math.min(waitMs * 2, retryMs.most)) {
        try {
          await work(await connected());
          onFault(null);
          return;
        } catch (error) {
          if (error instanceof Deposed || error instanceof LostTail) throw error;
          // It may have been done all the same; then it changes nothing when it is done again.
          log?.end();
          log = null;
          if (isStopping || hasEnded) throw error;
          if (waitMs === retryMs.most) onFault(reasonOf(error));
          await pause(waitMs);
        }
      }
    },
    stop() {
      isStopping = true;
    },
    end() {
      hasEnded = true;
      log?.end();
    },
  };
}
