/**
 * An agent whose input and output are the person's: nothing wakes it, and its messages wait for its next tool
 * call (specification/runner.md#toolbox-rules).
 */
import process from 'node:process';
import type { Program } from '#platform/find-program.ts';
import { type AgentProcess, startProcess } from '../process/agent-process.ts';
import { splitLines } from '../process/line-splitter.ts';
import { type Agent, AgentError, type AgentExit } from './agent.ts';
import type { Mode } from './descriptor.ts';

export interface PersonProcess {
  program: Program;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** `owned`: there is no terminal; its output goes to the runner's own, and it has no input. */
  mode: Mode;
  /** The private folder of the run. */
  runFolder: string;
  /** Gets its output, both streams, line by line; null: to the runner's own output. */
  onLine?: ((line: string) => void) | null;
  /** Restores the files that preparing changed; safe to call again. */
  undo(): void;
}

const cannot = (): Promise<never> =>
  Promise.reject(new AgentError('this agent cannot be woken; messages wait for its next tool call'));

export function createPersonProcess(person: PersonProcess): Agent {
  const { program, args, cwd, env, mode, runFolder, onLine = null, undo } = person;
  const { promise: exited, resolve: exit } = Promise.withResolvers<AgentExit>();
  let running: AgentProcess | null = null;
  return {
    async start() {
      // Output that goes to the runner is not the terminal's.
      const inTerminal = mode === 'terminal' && onLine === null;
      running = await startProcess({ program, args, cwd, env, inTerminal, runFolder });
      const { child } = running;
      child.stdin?.end();
      if (onLine === null) {
        child.stdout?.pipe(process.stdout, { end: false });
        child.stderr?.pipe(process.stderr, { end: false });
      } else {
        child.stdout?.on('data', splitLines(onLine));
        child.stderr?.on('data', splitLines(onLine));
      }
      void running.exited.then(exit);
    },
    wake: cannot,
    steer: cannot,
    async stop() {
      await running?.stop();
    },
    exited,
    isContinuing: false,
    get pid() {
      return running?.child.pid ?? null;
    },
    async restore() {
      await running?.stop();
      undo();
    },
    restoreSync() {
      running?.kill();
      undo();
    },
  };
}
