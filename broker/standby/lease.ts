/**
 * The lease of the active broker: confirmed again and again, and no longer relied upon well before another broker can take
 * it (docs/decisions/0068-one-active-broker.md).
 */
import { connectPageLog, Deposed, type PageLog, type PageLogOptions } from './page-log.ts';

/** A time by the clock of the machine, which also runs while it sleeps, and by one that nobody sets. Ms. */
export interface Moment {
  wall: number;
  steady: number;
}

export const momentNow = (): Moment => ({ wall: Date.now(), steady: performance.now() });

/** Half of what must pass until another broker may take the lease. */
export const reliedOnMs = 1500;

/** By the clock that says more. Ms. */
const ageOf = (confirmed: Moment, now: Moment): number =>
  Math.max(now.wall - confirmed.wall, now.steady - confirmed.steady);

/** Whether the lease may be relied upon: both clocks say that it was confirmed lately. */
export const isReliable = (confirmed: Moment, now: Moment): boolean => ageOf(confirmed, now) < reliedOnMs;

export interface LeaseOptions extends PageLogOptions {
  epoch: number;
  /** Before the lease was taken. */
  takenAt: Moment;
  /** Called once when another broker has the lease. */
  onDeposed: () => void;
}

export interface Lease {
  /** False while this broker must not answer, because another one may answer soon. */
  readonly isReliable: boolean;
  /** Ms since it was confirmed. */
  readonly age: number;
  /** Stops confirming. Resolves when others know that they need not wait, or cannot be told. */
  release(): Promise<void>;
}

const everyMs = 300;
/** A database that is slower than this is asked again on another connection. */
const patienceMs = 1000;

export function keepLease({ epoch, takenAt, onDeposed, ...options }: LeaseOptions): Lease {
  let confirmed = takenAt;
  let log: PageLog | null = null;
  let timer: NodeJS.Timeout | null = null;
  let isEnded = false;

  async function connected(): Promise<PageLog> {
    if (log === null || log.isLost) log = await connectPageLog({ ...options, requestMs: patienceMs });
    return log;
  }

  function end(): void {
    isEnded = true;
    if (timer !== null) clearTimeout(timer);
    log?.end();
  }

  async function confirm(): Promise<void> {
    // The database may have confirmed it at any time after this.
    const begun = momentNow();
    try {
      await (await connected()).confirm(epoch);
      confirmed = begun;
    } catch (error) {
      log?.end();
      log = null;
      if (!(error instanceof Deposed) || isEnded) return;
      end();
      onDeposed();
    }
  }

  let confirming = Promise.resolve();
  function next(): void {
    confirming = confirm().then(() => {
      if (!isEnded) timer = setTimeout(next, everyMs);
    });
  }
  next();

  return {
    get isReliable() {
      return !isEnded && isReliable(confirmed, momentNow());
    },
    get age() {
      return ageOf(confirmed, momentNow());
    },
    async release() {
      isEnded = true;
      if (timer !== null) clearTimeout(timer);
      await confirming;
      try {
        await (await connected()).release(epoch);
      } catch {
        // They take it when it has lapsed.
      }
      end();
    },
  };
}
