/**
 * Progress of long work on standard error (specification/command-line.md#output). On a terminal, it is one line that is
 * overwritten, and removed at the end.
 */
import process from 'node:process';
import { cutTo } from './display-width.ts';
import { sizeText } from './files/size-text.rules.ts';

/** The state of long work. */
export interface ProgressStep {
  /** The part of the work, if it has several. */
  what?: string;
  /** `bytes`, or the plural of what is counted. */
  unit: string;
  done: number;
  /** Null if it is not known. */
  total: number | null;
}

export interface Progress {
  at(step: ProgressStep): void;
  /** Removes the line. A later step draws it again. */
  end(): void;
}

export interface ProgressOptions {
  /** Standard error by default. */
  stream?: { isTTY?: boolean; columns?: number; write(text: string): unknown };
  /** Whether to print lines if the stream is not a terminal: at most one a second, and none in the first second. */
  hasLines?: boolean;
  stopwatch?: () => number;
}

const drawEveryMs = 100;
const lineEveryMs = 1000;
/** A rate that is measured over a shorter time says little. */
const minRateMs = 2000;

export function createProgress({
  stream = process.stderr,
  hasLines = false,
  stopwatch = () => performance.now(),
}: ProgressOptions = {}): Progress {
  const isDrawn = stream.isTTY === true && process.env.TERM !== 'dumb';
  let nextAt = isDrawn ? Number.NEGATIVE_INFINITY : stopwatch() + lineEveryMs;
  let isShown = false;
  let begun: { at: number; step: ProgressStep } | undefined;
  return {
    at(step) {
      if (!isDrawn && !hasLines) return;
      const now = stopwatch();
      if (begun?.step.what !== step.what) begun = undefined;
      begun ??= { at: now, step };
      if (now < nextAt) return;
      nextAt = now + (isDrawn ? drawEveryMs : lineEveryMs);
      isShown = isDrawn;
      if (!isDrawn) stream.write(`${amountText(step)}\n`);
      else {
        const line = `${amountText(step)}${paceText(step, step.done - begun.step.done, now - begun.at)}`;
        // In the last column, the cursor of some terminals is already in the next line.
        stream.write(`\r${cutTo((stream.columns || 80) - 1, line)}\x1b[K`);
      }
    },
    end() {
      if (isShown) stream.write('\r\x1b[K');
      isShown = false;
    },
  };
}

const counted = (count: number): string => Math.round(count).toLocaleString('en-US');

function amountText({ what, unit, done, total }: ProgressStep): string {
  const [written, all] = [done, total ?? 0].map(unit === 'bytes' ? sizeText : counted);
  const of = total ? ` of ${all}` : '';
  const amount = `${written}${of}${unit === 'bytes' ? '' : ` ${unit}`}`;
  const part = total ? ` (${Math.floor((100 * done) / total)} %)` : '';
  return `${what === undefined ? '' : `${what}: `}${amount}${part}`;
}

function paceText({ unit, done, total }: ProgressStep, gained: number, tookMs: number): string {
  if (tookMs < minRateMs || gained <= 0) return '';
  const rate = (1000 * gained) / tookMs;
  const pace = `, ${unit === 'bytes' ? sizeText(Math.round(rate)) : `${counted(rate)} ${unit}`}/s`;
  return total ? `${pace}, ${timeText(Math.max(0, total - done) / rate)} left` : pace;
}

function timeText(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.ceil(whole / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
