/** Ends a transfer in which nothing moves anymore, however long it may take in total. */
export interface IdleLimit {
  signal: AbortSignal;
  /** Something moved, so the other side has the whole time again. */
  touch(): void;
  /** The other side is not the one that is waited for. */
  pause(): void;
  /** Ends the watching. */
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
