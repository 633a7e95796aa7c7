/**
 * Reports that the agent is busy while it is, every 15 seconds, and once when it no longer is
 * (specification/presence.md#busy).
 */
import { limits } from '#protocol/limits.ts';
import { createRepeatedReport } from './repeated-report.ts';

export interface BusyReport {
  set(isBusy: boolean): void;
  /**
   * Reports that the agent is idle; resolves when the broker has the report, or after three seconds without an
   * answer.
   */
  stop(): Promise<void>;
}

export function createBusyReport(
  report: (busy: boolean) => Promise<void>,
  onError: (error: unknown) => void,
): BusyReport {
  let isBusy = false;
  const reports = createRepeatedReport(report, limits.busyHeartbeatMs, onError);

  function set(busy: boolean): void {
    if (busy === isBusy) return;
    isBusy = busy;
    reports.say(busy, busy);
  }

  return {
    set,
    stop() {
      set(false);
      return reports.stop();
    },
  };
}
