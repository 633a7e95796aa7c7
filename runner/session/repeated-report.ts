/** Reports a state to the broker when it changes, and repeats it while it lasts, because it clears by itself there. */
import { createSerialQueue } from '#platform/serial-queue.ts';

export interface RepeatedReport<State> {
  /** `isRepeated`: it is repeated until the next one. */
  say(state: State, isRepeated: boolean): void;
  /** Repeats nothing more; resolves when the broker has everything, or after three seconds without an answer. */
  stop(): Promise<void>;
}

const stopTimeoutMs = 3000;

export function createRepeatedReport<State>(
  report: (state: State) => Promise<void>,
  intervalMs: number,
  onError: (error: unknown) => void,
): RepeatedReport<State> {
  let beat: NodeJS.Timeout | null = null;
  let unanswered = 0;
  /** One after another, so that the last report arrives last. */
  const inTurn = createSerialQueue();

  function send(state: State): void {
    unanswered += 1;
    void inTurn(() => report(state))
      .catch(onError)
      .finally(() => {
        unanswered -= 1;
      });
  }

  function pause(): void {
    if (beat !== null) clearInterval(beat);
    beat = null;
  }

  return {
    say(state, isRepeated) {
      pause();
      // While the broker is slow, repeats would queue up, and the end of the run would wait for all of them.
      if (isRepeated)
        beat = setInterval(() => {
          if (unanswered === 0) send(state);
        }, intervalMs);
      send(state);
    },
    async stop() {
      pause();
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, stopTimeoutMs);
      await Promise.race([inTurn(() => undefined), late.promise]);
      clearTimeout(timer);
    },
  };
}
