/** The result of a run with faults, in words. */
import type { ChaosReport } from './chaos-run.ts';

export const isExact = ({ lost, twice, streamsWrong, olderActive }: ChaosReport): boolean =>
  lost === 0 && twice === 0 && streamsWrong === 0 && olderActive === 0;

export function sentenceOf(report: ChaosReport): string {
  const { faults, acknowledged, lost, twice, streams, streamsWrong, olderActive, longestPushMs } = report;
  const kinds = Object.entries(faults).map(([kind, count]) => `${kind} ${count}`);
  return `${acknowledged} acknowledged, ${lost} lost, ${twice} twice, ${streamsWrong} of ${streams} streams wrong, ${olderActive} takeovers by an older version; faults: ${kinds.join(', ')}; longest push ${longestPushMs} ms`;
}
