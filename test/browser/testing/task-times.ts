/**
 * The work of the page's main thread, in its own processor time, from the browser's trace. Time that other
 * programs use does not count.
 */
import type { Browser, Page } from 'playwright-core';

export interface TaskTimes {
  /** Milliseconds of the longest task of any kind: script, layout, or painting. */
  maxTaskMs: number;
  /** Milliseconds of the longest run of script: an event's listeners, a timer, or a callback. */
  maxScriptMs: number;
  tasks: number;
}

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  /** Microseconds of processor time. */
  tdur?: number;
  args: { name?: string };
}

const categories = ['toplevel', 'disabled-by-default-devtools.timeline', 'devtools.timeline', '__metadata'];
const scripts = new Set([
  'FunctionCall',
  'EventDispatch',
  'TimerFire',
  'FireAnimationFrame',
  'EvaluateScript',
]);

/** Runs the action and returns what it cost the page. */
export async function taskTimesOf(
  browser: Browser,
  page: Page,
  act: () => Promise<unknown>,
): Promise<TaskTimes> {
  await browser.startTracing(page, { categories });
  await act();
  const { traceEvents } = JSON.parse(String(await browser.stopTracing())) as { traceEvents: TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid}:${tid}`;
  const mains = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(threadOf),
  );
  const timesOf = (isWanted: (name: string) => boolean) =>
    traceEvents
      .filter((event) => event.ph === 'X' && isWanted(event.name) && mains.has(threadOf(event)))
      .map(({ tdur = 0 }) => tdur / 1000);
  const tasks = timesOf((name) => name.endsWith('RunTask'));
  if (tasks.length === 0) throw new Error('the trace holds no task of the page');
  return {
    maxTaskMs: Math.max(...tasks),
    maxScriptMs: Math.max(0, ...timesOf((name) => scripts.has(name))),
    tasks: tasks.length,
  };
}
