/** The time that all steps of a self-test share. */

/** The awaited event did not happen in time. */
export class OutOfTime extends Error {}

export interface TimeLimit {
  readonly totalMs: number;
  readonly isOver: boolean;
  /** Calls it once when the time is over, or immediately if it is. */
  onOver(tell: () => void): void;
  /** Resolves as `work` does. @throws OutOfTime if the time is over first; `work` then goes on unobserved. */
  within<Result>(work: Promise<Result>): Promise<Result>;
  release(): void;
}

export function startTimeLimit(totalMs: number): TimeLimit {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), totalMs);
  const onOver = (tell: () => void): void => {
    if (over.signal.aborted) tell();
    else over.signal.addEventListener('abort', tell, { once: true });
  };
  return {
    totalMs,
    get isOver() {
      return over.signal.aborted;
    },
    onOver,
    within: (work) =>
      new Promise((resolve, reject) => {
        work.then(resolve, reject);
        onOver(() => reject(new OutOfTime()));
      }),
    release: () => clearTimeout(timer),
  };
}
