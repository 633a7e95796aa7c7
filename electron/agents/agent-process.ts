/** The process of one run: `muster run --json` in its own process group, and its output. */
import { spawn } from 'node:child_process';
import { homedir } from 'node:os';
import process from 'node:process';
import { createLineReader } from './line-reader.ts';
import { type RunOutput, readRunOutput } from './run-output.ts';

export interface RunnerStart {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  onOutput(output: RunOutput): void;
  /** The time that it may take to end when asked; default `defaultStopTimeoutMs`. */
  stopTimeoutMs?: number;
  /** Called once, after the last output. `code` is null if a signal ended the process. */
  onEnd(code: number | null): void;
}

export interface RunnerProcess {
  /**
   * Asks the process to end, so that it restores what it changed. After `defaultStopTimeoutMs`, kills it and
   * its agent.
   */
  stop(): void;
}

/**
 * Longer than a runner needs in the worst case: five seconds for its agent and three to upload the remaining
 * activity.
 */
export const defaultStopTimeoutMs = 8000;
const outputAtEndMs = 1000;

export function startRunner(start: RunnerStart): RunnerProcess {
  const { command, args, env, onOutput, onEnd, stopTimeoutMs = defaultStopTimeoutMs } = start;
  const hasGroup = process.platform !== 'win32';
  let agentPid: number | null = null;
  let hasEnded = false;
  let late: NodeJS.Timeout | null = null;
  const child = spawn(command, [...args], {
    cwd: homedir(),
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: hasGroup,
    windowsHide: true,
  });

  function end(code: number | null): void {
    if (hasEnded) return;
    hasEnded = true;
    if (late !== null) clearTimeout(late);
    said.end();
    complained.end();
    onEnd(code);
  }
  function report(output: RunOutput): void {
    if (hasEnded) return;
    if (output.event === 'started') agentPid = output.pid;
    onOutput(output);
  }
  const said = createLineReader((line) => report(readRunOutput(line)));
  const complained = createLineReader((text) => report({ event: 'log', text }));
  child.on('error', (error) => {
    report({ event: 'log', text: `the runner cannot be started: ${error.message}` });
    end(null);
  });
  // Without free file descriptors, the process has no pipes either.
  if (child.pid !== undefined) {
    child.stdout.on('data', said.read);
    child.stderr.on('data', complained.read);
    // Writing to a process that is gone breaks the pipe; `onEnd` reports the end.
    child.stdin.on('error', () => undefined);
  }
  child.on('close', (code) => end(code));
  child.on('exit', (code, signal) => {
    // The children of the process may outlive it. If a signal killed the runner, it could not end its agent,
    // which has its own process group.
    kill(signal === null ? [child.pid] : [child.pid, agentPid]);
    // Another process may still hold its output open.
    setTimeout(() => end(code), outputAtEndMs).unref();
  });

  function kill(groups: readonly (number | null | undefined)[]): void {
    for (const pid of groups)
      if (pid !== null && pid !== undefined)
        try {
          process.kill(hasGroup ? -pid : pid, 'SIGKILL');
        } catch {
          // The process is already gone.
        }
  }

  return {
    stop() {
      if (hasEnded || late !== null) return;
      late = setTimeout(() => kill([child.pid, agentPid]), stopTimeoutMs);
      // On Windows, a signal would end the process immediately, before it restores its changes. Closing its
      // input asks it to end.
      if (hasGroup) child.kill('SIGTERM');
      else child.stdin.end();
    },
  };
}
