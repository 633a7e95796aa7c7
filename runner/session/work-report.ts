/** Reports to the broker and to the caller of the run whether the agent works: whether a turn or an exchange with its model is in progress. */
import { createBusyReport } from './busy-report.ts';

export interface WorkReport {
  readonly isTurn: boolean;
  /** Whether an exchange with the model is under way. */
  readonly isExchanging: boolean;
  setTurn(isActive: boolean): void;
  /** How many exchanges with the model are under way. */
  setExchanges(count: number): void;
  /** Resolves when the broker has the report that the agent is idle, or when the report has timed out. */
  stop(): Promise<void>;
}

export interface WorkReportDeps {
  /** Tells the broker. */
  report(isBusy: boolean): Promise<void>;
  onWork?: ((isWorking: boolean) => void) | undefined;
  log: (event: string, data?: object) => void;
}

export function createWorkReport({ report, onWork, log }: WorkReportDeps): WorkReport {
  const busy = createBusyReport(report, (error) => log('busy was not reported', { reason: String(error) }));
  let isTurn = false;
  let exchanges = 0;
  let isWorking = false;

  function show(): void {
    const works = isTurn || exchanges > 0;
    busy.set(works);
    if (works === isWorking) return;
    isWorking = works;
    onWork?.(works);
  }

  return {
    get isTurn() {
      return isTurn;
    },
    get isExchanging() {
      return exchanges > 0;
    },
    setTurn(isActive) {
      if (isTurn === isActive) return;
      isTurn = isActive;
      log(isActive ? 'turn begins' : 'turn ends');
      show();
    },
    setExchanges(count) {
      exchanges = count;
      show();
    },
    stop: busy.stop,
  };
}
