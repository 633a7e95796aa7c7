/**
 * Decides when the hook that stays wakes an idle agent: when messages wait and no turn is in progress. An agent
 * reports no end of a turn that its person interrupts, so a turn without any sign of life counts as over after a
 * while.
 */
export interface IdleWaker {
  /**
   * Resolves with true when the agent is to be woken; with false when another hook takes the place of this one,
   * when its process is gone, or at the end of the run.
   */
  wait(gone: AbortSignal): Promise<boolean>;
  /** A hook of the agent ran. `isTurn`: whether a turn is in progress after it. */
  sawHook(isTurn: boolean): void;
  /** Messages may wait now. */
  look(): void;
  close(): void;
}

export interface IdleWakerDeps {
  hasWaiting(): boolean;
  /** Whether an exchange with the model is in progress. */
  isExchanging(): boolean;
  /** How long a turn may give no sign of life. */
  quietMs?: number;
}

const defaultQuietMs = 30_000;

export function createIdleWaker(deps: IdleWakerDeps): IdleWaker {
  const { hasWaiting, isExchanging, quietMs = defaultQuietMs } = deps;
  let answer: ((wakes: boolean) => void) | null = null;
  let isTurn = false;
  let quiet: NodeJS.Timeout | undefined;

  function release(wakes: boolean): void {
    const waiting = answer;
    answer = null;
    waiting?.(wakes);
  }

  function watchQuiet(): void {
    clearTimeout(quiet);
    quiet = isTurn && hasWaiting() ? setTimeout(onQuiet, quietMs).unref() : undefined;
  }

  function onQuiet(): void {
    if (isExchanging()) watchQuiet();
    else {
      isTurn = false;
      look();
    }
  }

  function look(): void {
    if (!hasWaiting()) return;
    if (!isTurn && answer !== null) {
      // The turn that begins with it asks for the messages.
      isTurn = true;
      release(true);
    }
    watchQuiet();
  }

  return {
    wait(gone) {
      release(false);
      if (gone.aborted) return Promise.resolve(false);
      const { promise, resolve } = Promise.withResolvers<boolean>();
      answer = resolve;
      gone.addEventListener(
        'abort',
        () => {
          if (answer === resolve) release(false);
        },
        { once: true },
      );
      look();
      return promise;
    },
    sawHook(next) {
      isTurn = next;
      look();
      watchQuiet();
    },
    look,
    close() {
      clearTimeout(quiet);
      release(false);
    },
  };
}
