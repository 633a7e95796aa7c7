/** The result of a run with faults, in words. */
import type { ChaosReport } from './chaos-run.ts';

export const isExact = ({ lost, twice, streamsWrong, olderActive }: ChaosReport): boolean =>
  lost === 0 && twice === 0 && streamsWrong === 0 && olderActive === 0;

/** The number of faults of a run that is to have as many as `hours` with one every `everyMinutes` have. */
export const faultsOf = (hours: number, everyMinutes: number): number =>
  Math.floor((hours * 60) / everyMinutes);

const made = ({ faults }: ChaosReport): number => Object.values(faults).reduce((sum, count) => sum + count);

export function sentenceOf(report: ChaosReport): string {
  const { faults, acknowledged, lost, twice, streams, streamsWrong, olderActive, longestPushMs } = report;
  const kinds = Object.entries(faults).map(([kind, count]) => `${kind} ${count}`);
  return `${acknowledged} acknowledged, ${lost} lost, ${twice} twice, ${streamsWrong} of ${streams} streams wrong, ${olderActive} takeovers by an older version; ${made(report)} faults in ${report.wallSeconds} s: ${kinds.join(', ')}; longest push ${longestPushMs} ms`;
}

/** Says what a run without waits stands for, and what it does not. */
export const densityOf = (report: ChaosReport, hours: number, everyMinutes: number): string =>
  `${made(report)} of the ${faultsOf(hours, everyMinutes)} faults that ${hours} hours with one every ${everyMinutes} minutes have, in ${report.wallSeconds} s: what needs hours without a fault was not tested`;
