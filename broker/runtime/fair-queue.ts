/**
 * Work that has to share something scarce: a bounded number at a time, and in rounds in which each key has one
 * turn, so that a key with much work delays the others by one piece of it per round. A turn lasts until the next pass of
 * the event loop at least, unless the key is alone: work that is done at once would otherwise begin and end again and
 * again, before anything that others need is looked at.
 */
export interface FairQueue {
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
  /** Who asks for what; of this queue alone by default. */
  company?: Company;
}

/** Which keys asked for something lately, in one queue or in several that share it. */
export interface Company {
  note(key: string): void;
  hasOtherThan(key: string): boolean;
}

/** For how long a key that asked for something is not to be delayed by what another one runs. */
const latelyMs = 5000;

/** `stopwatch` returns the elapsed ms. */
export function createCompany(stopwatch: () => number = () => performance.now()): Company {
  /** The two keys that asked last, and when; the last one comes first. */
  let asked: { key: string; at: number }[] = [];
  return {
    note(key) {
      asked = [{ key, at: stopwatch() }, ...asked.filter((one) => one.key !== key)].slice(0, 2);
    },
    hasOtherThan: (key) => asked.some((one) => one.key !== key && stopwatch() - one.at < latelyMs),
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

  /** Returns the first key that may run; undefined if none may. */
  function nextKey(): string | undefined {
    const isFull = running >= all;
    if (isFull && always === 0) return undefined;
    for (const key of waitingByKey.keys()) {
      const share = alone > perKey && !hasCompany(key) ? alone : perKey;
      const most = isFull ? always : share;
      if ((runningByKey.get(key) ?? 0) < most) return key;
    }
    return undefined;
  }

  function startNext(): void {
    for (let key = nextKey(); key !== undefined; key = nextKey()) {
      const [start, ...rest] = waitingByKey.get(key) ?? [];
      waitingByKey.delete(key);
      if (rest.length > 0) waitingByKey.set(key, rest);
      count(key, 1);
      start?.();
    }
  }

  function endTurn(key: string): void {
    const giveBack = () => {
      count(key, -1);
      startNext();
    };
    if (hasCompany(key)) setImmediate(giveBack);
    else giveBack();
  }

  return {
    run: (key, work) =>
      new Promise((resolve, reject) => {
        const start = () => {
          Promise.try(work)
            .finally(() => endTurn(key))
            .then(resolve, reject);
        };
        company.note(key);
        const waiting = waitingByKey.get(key);
        if (waiting === undefined) waitingByKey.set(key, [start]);
        else waiting.push(start);
        startNext();
      }),
  };
}
