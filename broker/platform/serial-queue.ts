/** Runs one piece of work at a time, in the order of the calls. Work that fails does not keep later work from running. */
export type SerialQueue = <T>(work: () => T | Promise<T>) => Promise<T>;

/** Returns a queue of its own. A call resolves or rejects with the result of its work. */
export function createSerialQueue(): SerialQueue {
  let tail: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = tail.then(work);
    tail = turn.catch(() => undefined);
    return turn;
  };
}
