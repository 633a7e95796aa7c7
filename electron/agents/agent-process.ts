/** The process of one run: `svc run --json` in a group of its own, and what it says. */
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
  /** How long it may take to end when asked; `defaultStopTimeoutMs` unless given. */
  stopTimeoutMs?: number;
  /** Once, after the last output. `code` is null when a signal ended it. */
  onEnd(code: number | null): void;
}

export interface RunnerProcess {
  /** Asks it to end, so that it restores what it changed; after `defaultStopTimeoutMs` it and its agent are killed. */
  stop(): void;
}

/** Longer than a runner needs in the worst case: five seconds for its agent, three for what is left to report. */
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
  child.stdout.on('data', said.read);
  child.stderr.on('data', complained.read);
  // A pipe to a process that is gone breaks; its end is what counts.
  child.stdin.on('error', () => undefined);
  child.on('error', (error) => {
    report({ event: 'log', text: `the runner cannot be started: ${error.message}` });
    end(null);
  });
  child.on('close', (code) => end(code));
  child.on('exit', (code, signal) => {
    // What it started may outlive it; a runner that was killed could not end its agent, which has a group of its own.
    kill(signal === null ? [child.pid] : [child.pid, agentPid]);
    // Something may still hold its output open.
    setTimeout(() => end(code), outputAtEndMs).unref();
  });

  function kill(groups: readonly (number | null | undefined)[]): void {
    for (const pid of groups)
      if (pid !== null && pid !== undefined)
        try {
          process.kill(hasGroup ? -pid : pid, 'SIGKILL');
        } catch {
          // Gone already.
        }
  }

  return {
    stop() {
      if (hasEnded || late !== null) return;
      late = setTimeout(() => kill([child.pid, agentPid]), stopTimeoutMs);
      // On Windows a signal would end it at once, without restoring; the end of its input asks.
      if (hasGroup) child.kill('SIGTERM');
      else child.stdin.end();
    },
  };
}
