/** Restoring on the exit paths that cannot wait: an uncaught exception, `process.exit` from anywhere, and a signal while a run is still starting. */
import { constants } from 'node:os';
import process from 'node:process';

export interface ExitPaths {
  /** There is something to restore: a signal ends the process after that, one that came before does it now. */
  prepared(): void;
  /** From now on signals end the run in order: they are handed over, not ours to end the process with. */
  started(onSignal: (signal: NodeJS.Signals) => void): void;
  release(): void;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * `restore` runs synchronously when the process ends. An uncaught exception still ends it with a code that is not 0. To be called before the
 * first change: without a listener a signal ends the process at once. Until `prepared` a first signal waits, a second one does not.
 */
export function onExit(restore: () => void): ExitPaths {
  function onUncaught(error: unknown): void {
    restore();
    console.error(error instanceof Error ? error.stack : error);
    process.exit(1);
  }
  // One listener for the whole run: a signal that comes while listeners change places would be lost.
  let act = (signal: NodeJS.Signals): void => {
    if (held === null) held = signal;
    else end(signal);
  };
  let held: NodeJS.Signals | null = null;
  function end(signal: NodeJS.Signals): void {
    restore();
    process.exit(128 + (constants.signals[signal] ?? 0));
  }
  const onSignal = (signal: NodeJS.Signals): void => act(signal);
  process.on('exit', restore);
  process.on('uncaughtException', onUncaught);
  process.on('unhandledRejection', onUncaught);
  for (const signal of signals) process.on(signal, onSignal);
  return {
    prepared() {
      act = end;
      if (held !== null) end(held);
    },
    started(next) {
      act = next;
    },
    release() {
      for (const signal of signals) process.off(signal, onSignal);
      process.off('exit', restore);
      process.off('uncaughtException', onUncaught);
      process.off('unhandledRejection', onUncaught);
    },
  };
}
