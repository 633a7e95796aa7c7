/**
 * Restoring on the exit paths that cannot wait: an uncaught exception, `process.exit` from anywhere, and a
 * signal while a run is still starting.
 */
import { constants } from 'node:os';
import process from 'node:process';

export interface ExitPaths {
  /** From now on, signals end the run in order; one that came before (`isEarly`) does so now. */
  started(onSignal: (signal: NodeJS.Signals, isEarly?: boolean) => void): void;
  release(): void;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** A terminal signals every process of its group, and a wrapper passes the signal on. */
const echoMs = 250;

/**
 * `restore` runs synchronously when the process ends. An uncaught exception still ends it with a nonzero
 * code. Call this before the first change, because without a listener, a signal ends the process
 * immediately. Until `started`, the first signal is held, so that work in progress ends in order; a second one
 * is not held.
 */
export function onExit(restore: () => void): ExitPaths {
  function onUncaught(error: unknown): void {
    restore();
    console.error(error instanceof Error ? error.stack : error);
    process.exit(1);
  }
  let held: { signal: NodeJS.Signals; at: number } | null = null;
  // One listener for the whole run, because a signal that comes while listeners are exchanged would be lost.
  let act = (signal: NodeJS.Signals): void => {
    if (held === null) held = { signal, at: performance.now() };
    else if (held.signal !== signal || performance.now() - held.at > echoMs) {
      restore();
      process.exit(128 + (constants.signals[signal] ?? 0));
    }
  };
  const onSignal = (signal: NodeJS.Signals): void => act(signal);
  process.on('exit', restore);
  process.on('uncaughtException', onUncaught);
  process.on('unhandledRejection', onUncaught);
  for (const signal of signals) process.on(signal, onSignal);
  return {
    started(next) {
      act = next;
      if (held !== null) next(held.signal, true);
    },
    release() {
      for (const signal of signals) process.off(signal, onSignal);
      process.off('exit', restore);
      process.off('uncaughtException', onUncaught);
      process.off('unhandledRejection', onUncaught);
    },
  };
}
