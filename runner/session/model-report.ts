/**
 * Says that the agent's model refuses, and that it works again: to the broker, every 15 seconds while it refuses,
 * and to the person (specification/presence.md#model).
 */
import { BrokerError } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import type { ModelReport as Report } from '#protocol/model-refusal.ts';
import { refusalText } from '#protocol/model-refusal-text.ts';
import type { Refusal } from '../delivery/model-refusal.rules.ts';
import { createRepeatedReport } from './repeated-report.ts';

export interface ModelReport {
  /** Null: it works. */
  set(refusal: Refusal | null): void;
  /** Resolves when the broker has what was reported, or after three seconds without an answer. */
  stop(): Promise<void>;
}

export interface ModelReportDeps {
  member: string;
  report(state: Report): Promise<void>;
  /** Messages that wait for the model. */
  waiting(): number;
  /** For a person: the time of day at this moment. */
  timeOf(at: number): string;
  tell(line: string): void;
  log: (event: string, data?: object) => void;
}

const isSame = (one: Refusal | null, other: Refusal | null): boolean =>
  one?.cause === other?.cause && one?.until === other?.until && one?.detail === other?.detail;

export function createModelReport(deps: ModelReportDeps): ModelReport {
  const { member, report, waiting, timeOf, tell, log } = deps;
  let told: Refusal | null = null;
  /** A broker without this operation. */
  let isUnknown = false;
  const reports = createRepeatedReport<Report>(
    async (state) => {
      if (!isUnknown) await report(state);
    },
    limits.busyHeartbeatMs,
    (error) => {
      if (error instanceof BrokerError && error.code === 'not_found') isUnknown = true;
      log('the state of the model was not reported', { reason: String(error) });
    },
  );

  function waitingText(): string {
    const count = waiting();
    if (count === 0) return '';
    return count === 1
      ? '; 1 message waits and is delivered when it answers'
      : `; ${count} messages wait and are delivered when it answers`;
  }

  return {
    set(refusal) {
      if (isSame(told, refusal)) return;
      const isNew = told?.cause !== refusal?.cause;
      told = refusal;
      reports.say(
        refusal === null ? { state: 'working' } : { state: 'refusing', ...refusal },
        refusal !== null,
      );
      if (!isNew) return;
      log(refusal === null ? 'the model answers again' : 'the model refuses', { ...refusal });
      tell(
        refusal === null
          ? `the model of ${member} answers again`
          : `the model of ${member} refuses: ${refusalText(refusal, timeOf)}${waitingText()}`,
      );
    },
    stop: reports.stop,
  };
}
