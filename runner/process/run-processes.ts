/** Ends the processes of a run: its agent, the agent's shells, and what these started. */
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { readProcesses } from './process-table.ts';
import { type ProcessId, processesOf } from './run-processes.rules.ts';

const lookMs = 50;
const killTimeoutMs = 5000;

export interface RunProcessControl {
  /** Sends the signal to all of them at once. Returns how many there were. */
  signal(name: NodeJS.Signals): number;
  /**
   * Ends them with SIGTERM, and after `askMs` with SIGKILL. Resolves with how many there were, when they are
   * gone, or after five seconds more: a process that the kernel holds cannot be ended.
   */
  end(askMs: number): Promise<number>;
}

/**
 * `run` is the value of the run's variable. `leader` is the leader of its agent's process group; null if it
 * is not known.
 */
export function controlProcesses(run: string, leader: ProcessId | null): RunProcessControl {
  /** Kept, because a process whose parent has ended can no longer be recognized as a descendant. */
  let known: readonly ProcessId[] = leader === null ? [] : [leader];

  function signal(name: NodeJS.Signals): number {
    // Read again before each signal: each process is identified by its start time right before.
    const present = processesOf({ run, known }, readProcesses(), process.pid);
    known = present;
    for (const { pid } of present)
      try {
        process.kill(pid, name);
      } catch {
        // It ended meanwhile.
      }
    return present.length;
  }

  return {
    signal,
    async end(askMs) {
      const count = signal('SIGTERM');
      if (count === 0) return 0;
      const askedAt = performance.now();
      const isIn = (ms: number): boolean => performance.now() - askedAt < ms;
      while (isIn(askMs) && processesOf({ run, known }, readProcesses(), process.pid).length > 0)
        await pause(lookMs);
      while (isIn(askMs + killTimeoutMs) && signal('SIGKILL') > 0) await pause(lookMs);
      return count;
    },
  };
}
