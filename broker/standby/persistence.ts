/** Writes to the database until they are done, however long it cannot be reached. */
import { setTimeout as pause } from 'node:timers/promises';
import { connectPageLog, Deposed, type PageLog, type PageLogOptions } from './page-log.ts';

export interface Persistence {
  /** `write` may be done several times. @throws Deposed. */
  persist(write: (log: PageLog) => Promise<void>): Promise<void>;
  end(): void;
}

const retryMs = { first: 50, most: 1000 };

export function createPersistence(options: PageLogOptions): Persistence {
  let log: PageLog | null = null;
  return {
    async persist(write) {
      for (let waitMs = retryMs.first; ; waitMs = Math.min(waitMs * 2, retryMs.most)) {
        try {
          if (log === null || log.isLost) log = await connectPageLog(options);
          await write(log);
          return;
        } catch (error) {
          if (error instanceof Deposed) throw error;
          // It may have been done all the same; then it changes nothing when it is done again.
          log?.end();
          log = null;
          await pause(waitMs);
        }
      }
    },
    end: () => log?.end(),
  };
}
