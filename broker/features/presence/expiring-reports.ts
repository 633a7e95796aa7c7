/** Reports that members make about themselves for a while: a report that is not repeated ends by itself. */
import type { MemberName } from '#protocol/ids.ts';
import type { Clock } from '../../runtime/clock.ts';

export interface ExpiringReports<Value> {
  /** Replaces the member's report and starts its lifetime again. */
  set(name: MemberName, value: Value): void;
  clear(name: MemberName): void;
  /** Undefined if there is none, or if it has expired. */
  of(name: MemberName): Value | undefined;
}

export interface ExpiringReportsDeps<Value> {
  lifetimeMs: number;
  clock: Clock;
  /** Whether others see a difference between two reports of a member. */
  isSame(before: Value, after: Value): boolean;
  /** The report that others see of this member has changed. */
  onChanged(name: MemberName): void;
}

export function createExpiringReports<Value>(deps: ExpiringReportsDeps<Value>): ExpiringReports<Value> {
  const { lifetimeMs, clock, isSame, onChanged } = deps;
  const reportByName = new Map<MemberName, { value: Value; until: number; end: NodeJS.Timeout }>();

  function clear(name: MemberName): void {
    const report = reportByName.get(name);
    if (report === undefined) return;
    clearTimeout(report.end);
    reportByName.delete(name);
    onChanged(name);
  }

  return {
    set(name, value) {
      const before = reportByName.get(name);
      clearTimeout(before?.end);
      const end = setTimeout(() => clear(name), lifetimeMs).unref();
      reportByName.set(name, { value, until: clock() + lifetimeMs, end });
      if (before === undefined || !isSame(before.value, value)) onChanged(name);
    },
    clear,
    of(name) {
      const report = reportByName.get(name);
      return report !== undefined && report.until > clock() ? report.value : undefined;
    },
  };
}
