/**
 * Reports that the agent is busy while it is, every 15 seconds, and once when it no longer is
 * (specification/presence.md#busy).
 */
import { createSerialQueue } from '#platform/serial-queue.ts';
import { limits } from '#protocol/limits.ts';

export interface BusyReport {
  set(isBusy: boolean): void;
  /**
   * Reports that the agent is idle; resolves when the broker has the report, or after three seconds without an
   * answer.
   */
  stop(): Promise<void>;
}

/** The flag clears by itself. */
const stopTimeoutMs = 3000;

export function createBusyReport(
  report: (busy: boolean) => Promise<void>,
  onError: (error: unknown) => void,
): BusyReport {
  let isBusy = false;
  let beat: NodeJS.Timeout | null = null;
  /** One after another, so that the last report arrives last. */
  const inTurn = createSerialQueue();

  let unanswered = 0;

  function say(busy: boolean): void {
    unanswered += 1;
    void inTurn(() => report(busy))
      .catch(onError)
      .finally(() => {
        unanswered -= 1;
      });
  }

  /** While the broker is slow, reports would queue up, and the end of the run would wait for all of them. */
  function repeat(): void {
    if (unanswered === 0) say(true);
  }

  function set(busy: boolean): void {
    if (busy === isBusy) return;
    isBusy = busy;
    if (beat !== null) clearInterval(beat);
    beat = busy ? setInterval(repeat, limits.busyHeartbeatMs) : null;
    say(busy);
  }

  return {
    set,
    async stop() {
      set(false);
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, stopTimeoutMs);
      await Promise.race([inTurn(() => undefined), late.promise]);
      clearTimeout(timer);
    },
  };
}
