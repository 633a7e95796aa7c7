/** The time that requests spend in each phase, per operation, since the broker started (`GET /diagnostics`). Fixed memory per operation. */
import { createHistogram, type Histogram, type Spread } from './histogram.ts';

/** The parts of a request, in their order; `OperationTiming` in `protocol/diagnostics.ts` says what each is. */
const requestPhases = ['checks', 'body', 'queue', 'statements', 'commit', 'rest'] as const;
/** Durations in ms. */
export type PhaseTimes = Record<(typeof requestPhases)[number], number>;

export interface OperationSpread extends Spread {
  operation: string;
  count: number;
  phases: Record<keyof PhaseTimes, Spread>;
}

/** For histograms that others add up over time. */
export interface OperationDurations {
  operation: string;
  count: number;
  sumMs: number;
  /** How many requests took at most so long. */
  upTo: { ms: number; count: number }[];
  /** All requests together. */
  phaseMs: PhaseTimes;
}

export interface OperationTimings {
  record(operation: string, phases: PhaseTimes): void;
  /** Of the operations that were called, by name. */
  read(): OperationSpread[];
  /** The same operations, as sums and counts that only grow. */
  durations(): OperationDurations[];
}

type Histograms = Record<keyof PhaseTimes | 'total', Histogram>;

const eachPhase = <Value>(valueFor: (phase: keyof PhaseTimes) => Value): Record<keyof PhaseTimes, Value> => ({
  checks: valueFor('checks'),
  body: valueFor('body'),
  queue: valueFor('queue'),
  statements: valueFor('statements'),
  commit: valueFor('commit'),
  rest: valueFor('rest'),
});

export function createOperationTimings(): OperationTimings {
  const histogramsByOperation = new Map<string, Histograms>();

  function histogramsOf(operation: string): Histograms {
    const known = histogramsByOperation.get(operation);
    if (known !== undefined) return known;
    const made = { ...eachPhase(createHistogram), total: createHistogram() };
    histogramsByOperation.set(operation, made);
    return made;
  }

  return {
    record(operation, phases) {
      const histograms = histogramsOf(operation);
      let total = 0;
      for (const phase of requestPhases) {
        total += phases[phase];
        histograms[phase].record(phases[phase]);
      }
      histograms.total.record(total);
    },
    read: () =>
      [...histogramsByOperation]
        .map(([operation, histograms]) => ({
          operation,
          count: histograms.total.count,
          ...histograms.total.read(),
          phases: eachPhase((phase) => histograms[phase].read()),
        }))
        .sort((a, b) => (a.operation < b.operation ? -1 : 1)),
    durations: () =>
      [...histogramsByOperation]
        .map(([operation, histograms]) => ({
          operation,
          count: histograms.total.count,
          sumMs: histograms.total.sumMs,
          upTo: histograms.total.upTo(),
          phaseMs: eachPhase((phase) => histograms[phase].sumMs),
        }))
        .sort((a, b) => (a.operation < b.operation ? -1 : 1)),
  };
}
