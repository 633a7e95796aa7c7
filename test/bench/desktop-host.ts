/**
 * Runs the built app in a process of its own on the stand-in: `desktop-host.ts <appPath> <URL of main.js>`,
 * or the stand-in alone without arguments. It tells its parent when it is ready and answers its requests.
 */
import { registerHooks } from 'node:module';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import process from 'node:process';
import { setTimeout as after } from 'node:timers/promises';
import { app } from '../standin/electron.ts';
import { standin } from '../standin/standin.ts';
import { percentile } from './http-load.ts';

export type HostQuestion = 'rss' | 'begin' | 'delay' | 'quit';
export type HostAnswer =
  | { kind: 'ready'; startMs: number; url: string }
  | { kind: 'rss'; bytes: number }
  | { kind: 'begun' }
  /**
   * Milliseconds, including the monitor's own interval. `work` is the processor time that this thread used
   * between two samples.
   */
  | { kind: 'delay'; p50: number; p99: number; max: number; work: { p99: number; max: number } };

const resolutionMs = 10;
const delay = monitorEventLoopDelay({ resolution: resolutionMs });
const [appPath, main] = process.argv.slice(2);
/** Unlike the delay, this does not depend on other programs. */
const workMs: number[] = [];
let looking: NodeJS.Timeout | undefined;

function lookAtWork(): void {
  let before = process.threadCpuUsage();
  looking = setInterval(() => {
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    workMs.push((user + system) / 1000);
  }, resolutionMs);
}
const tell = (answer: HostAnswer): void => void process.send?.(answer);

process.on('message', (question: HostQuestion) => {
  if (question === 'rss') tell({ kind: 'rss', bytes: process.memoryUsage.rss() });
  else if (question === 'begin') {
    delay.reset();
    delay.enable();
    lookAtWork();
    tell({ kind: 'begun' });
  } else if (question === 'delay') {
    delay.disable();
    clearInterval(looking);
    workMs.sort((a, b) => a - b);
    const work = { p99: percentile(workMs, 0.99), max: workMs.at(-1) ?? 0 };
    const at = (percentile: number): number => delay.percentile(percentile) / 1e6;
    tell({ kind: 'delay', p50: at(50), p99: at(99), max: delay.max / 1e6, work });
  } else void quit();
});

async function quit(): Promise<void> {
  app.quit();
  while (!standin.said.some((one) => one.startsWith('exit'))) await after(10);
  process.exit(0);
}

const isRunning = (): boolean => standin.trays[0]?.menu.items[0]?.label === 'Running';

if (appPath === undefined || main === undefined) tell({ kind: 'ready', startMs: 0, url: '' });
else {
  const place = new URL('../standin/electron.ts', import.meta.url).href;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'electron' ? { url: place, shortCircuit: true } : next(specifier, context),
  });
  standin.appPath = appPath;
  const start = performance.now();
  await import(main);
  while (!isRunning()) await after(1);
  tell({
    kind: 'ready',
    startMs: performance.now() - start,
    url: `http://127.0.0.1:${process.env.SVC_PORT}`,
  });
}
