/** Says that the agent is busy while it is, every 15 seconds, and once when it no longer is (specification "Presence busy flag"). */
import { limits } from '#protocol/limits.ts';

export interface BusyReport {
  set(isBusy: boolean): void;
  /** Says that nothing is going on any more; resolves when the broker was told, or could not be. */
  stop(): Promise<void>;
}

export function createBusyReport(
  report: (busy: boolean) => Promise<void>,
  onError: (error: unknown) => void,
): BusyReport {
  let isBusy = false;
  let beat: NodeJS.Timeout | null = null;
  /** One after the other, so that the last word is the last to arrive. */
  let saying: Promise<void> = Promise.resolve();

  function say(busy: boolean): void {
    saying = saying.then(() => report(busy)).catch(onError);
  }

  function set(busy: boolean): void {
    if (busy === isBusy) return;
    isBusy = busy;
    if (beat !== null) clearInterval(beat);
    beat = busy ? setInterval(() => say(true), limits.busyHeartbeatMs) : null;
    say(busy);
  }

  return {
    set,
    stop() {
      set(false);
      return saying;
    },
  };
}
