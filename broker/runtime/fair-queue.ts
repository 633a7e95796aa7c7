/**
 * Work that has to share something scarce: a bounded number at a time, and in rounds in which each key has one
 * turn, so that a key with much work delays the others by one piece of it per round. A turn lasts until the next pass of
 * the event loop at least, unless the key is alone: work that is done at once would otherwise begin and end again and
 * again, before anything that others need is looked at.
 */
export interface FairQueue {
  /** Returns a promise of the key's turn; undefined if it is now. Each turn ends with `leave`. */
  enter(key: string): Promise<void> | undefined;
  leave(key: string): void;
  /** Calls `work` when it is the key's turn, at once if it is now. Resolves, or rejects, as `work` does. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export interface FairQueueOptions {
  /** How much runs at a time, in all and of one key. */
  all: number;
  perKey: number;
  /** How much of one key runs while no other one has asked for anything lately; `perKey` by default. */
  alone?: number;
  /** How much of one key runs whatever the others do, beyond `all` if need be; none by default. */
  always?: number;
  /** The keys that asked for something lately; those of this queue alone by default. */
  company?: Company;
}

/** The keys that asked for something lately, in one queue or in several that share it. */
export interface Company {
  note(key: string): void;
  hasOtherThan(key: string): boolean;
}

/** For how long a key that asked for something is not to be delayed by what another one runs. */
const latelyMs = 5000;

/** `stopwatch` returns the elapsed ms. */
export function createCompany(stopwatch: () => number = () => performance.now()): Company {
  /** The two keys that asked last, and when. */
  let last = { key: '', at: Number.NEGATIVE_INFINITY };
  let before = last;
  return {
    note(key) {
      if (last.key === key) last.at = stopwatch();
      else [last, before] = [{ key, at: stopwatch() }, last];
    },
    hasOtherThan(key) {
      const other = last.key === key ? before : last;
      return stopwatch() - other.at < latelyMs;
    },
  };
}

export function createFairQueue({
  all,
  perKey,
  alone = perKey,
  always = 0,
  company = createCompany(),
}: FairQueueOptions): FairQueue {
  /** The key whose turn is next comes first. */
  const waitingByKey = new Map<string, (() => void)[]>();
  const runningByKey = new Map<string, number>();
  let running = 0;

  /** Whether another key has work that waits, or asked for something lately. */
  function hasCompany(key: string): boolean {
    const others = waitingByKey.size - (waitingByKey.has(key) ? 1 : 0);
    return others > 0 || company.hasOtherThan(key);
  }

  function count(key: string, number: 1 | -1): void {
    const sum = (runningByKey.get(key) ?? 0) + number;
    if (sum === 0) runningByKey.delete(key);
    else runningByKey.set(key, sum);
    running += number;
  }

  function mayRun(key: string): boolean {
    const isFull = running >= all;
    if (isFull && always === 0) return false;
    const share = alone > perKey && !hasCompany(key) ? alone : perKey;
    return (runningByKey.get(key) ?? 0) < (isFull ? always : share);
  }

  /** Starts the first key that may run, until none may. */
  function startNext(): void {
    for (let key = nextKey(); key !== undefined; key = nextKey()) {
      const waiting = waitingByKey.get(key) ?? [];
      const start = waiting.shift();
      waitingByKey.delete(key);
      if (waiting.length > 0) waitingByKey.set(key, waiting);
      count(key, 1);
      start?.();
    }
  }

  function nextKey(): string | undefined {
    for (const key of waitingByKey.keys()) if (mayRun(key)) return key;
    return undefined;
  }

  function giveBack(key: string): void {
    count(key, -1);
    if (waitingByKey.size > 0) startNext();
  }

  function enter(key: string): Promise<void> | undefined {
    company.note(key);
    if (waitingByKey.size === 0 && mayRun(key)) {
      count(key, 1);
      return undefined;
    }
    return new Promise((resolve) => {
      const waiting = waitingByKey.get(key);
      if (waiting === undefined) waitingByKey.set(key, [resolve]);
      else waiting.push(resolve);
      // Time may have passed since the others began to wait.
      startNext();
    });
  }

  function leave(key: string): void {
    if (hasCompany(key)) setImmediate(giveBack, key);
    else giveBack(key);
  }

  return {
    enter,
    leave,
    async run(key, work) {
      const waiting = enter(key);
      if (waiting !== undefined) await waiting;
      try {
        return await work();
      } finally {
        leave(key);
      }
    },
  };
}
