/** Aborts a transfer that is idle for too long; the total duration has no limit. */
export interface IdleLimit {
  signal: AbortSignal;
  /** Data was transferred: restarts the timeout. */
  touch(): void;
  /** Stops the timeout while this side causes the delay. */
  pause(): void;
  /** Stops the timeout permanently. */
  end(): void;
}

export function createIdleLimit(timeoutMs: number): IdleLimit {
  const stalled = new AbortController();
  const pause = () => clearTimeout(timer);
  const give = () => stalled.abort(new DOMException('no data was transferred', 'TimeoutError'));
  let timer = setTimeout(give, timeoutMs);
  let isOver = false;
  return {
    signal: stalled.signal,
    pause,
    touch() {
      pause();
      if (!isOver) timer = setTimeout(give, timeoutMs);
    },
    end() {
      isOver = true;
      pause();
    },
  };
}
