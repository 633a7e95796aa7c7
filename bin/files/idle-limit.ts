/** Ends a transfer in which nothing moves any more, however long it may take in all. */
export interface IdleLimit {
  signal: AbortSignal;
  /** Something moved: the other side has the whole time again. */
  touch(): void;
  /** Not the other side is waited for. */
  pause(): void;
  /** For good. */
  end(): void;
}

export function createIdleLimit(timeoutMs: number): IdleLimit {
  const stalled = new AbortController();
  const pause = () => clearTimeout(timer);
  const give = () => stalled.abort(new DOMException('nothing moved', 'TimeoutError'));
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
