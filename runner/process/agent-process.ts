/** The process of an agent: started without a shell, and ended with everything that it started. */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { basename } from 'node:path';
import process from 'node:process';
import { codeOf } from '#platform/error-text.ts';
import type { Program } from '#platform/find-program.ts';
import { AgentError, type AgentExit } from '../agents/agent.ts';
import { writeGroup } from './group-file.ts';
import { runVariable } from './process-table.ts';
import { controlProcesses, type RunProcessControl } from './run-processes.ts';

export interface AgentProcess {
  readonly child: ChildProcess;
  readonly exited: Promise<AgentExit>;
  /**
   * Asks with SIGTERM, then ends with SIGKILL after five seconds: the process, and without a terminal
   * everything that was started in this run. Resolves when they are gone.
   */
  stop(): Promise<void>;
  /** Ends all of them at once, for exit paths that cannot wait. */
  kill(): void;
}

export interface ProcessRequest {
  program: Program;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** In a terminal, the agent stays in the person's own process group, so that it controls the terminal. */
  inTerminal: boolean;
  /**
   * The private folder of the run. Its name marks the processes of an agent without a terminal, and a file in
   * it names their group, so that the next run can end what a killed runner left.
   */
  runFolder: string;
}

const stopTimeoutMs = 5000;

/** @throws AgentError with what to do if the program cannot be started. */
export async function startProcess(request: ProcessRequest): Promise<AgentProcess> {
  const { args, cwd, inTerminal, runFolder } = request;
  const { command } = request.program;
  const stdio: StdioOptions = inTerminal ? 'inherit' : 'pipe';
  const hasGroup = !inTerminal && process.platform !== 'win32';
  const run = basename(runFolder);
  const env = hasGroup ? { ...request.env, [runVariable]: run } : request.env;
  const child = spawn(command, [...request.program.args, ...args], {
    cwd,
    env,
    stdio,
    detached: hasGroup,
    windowsHide: true,
  });
  const exited = new Promise<AgentExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const started = new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve).once('error', (error) => {
      const code = codeOf(error);
      const missing =
        code === 'ENOENT' ? `there is no program "${command}". Install it, or check the PATH.` : null;
      reject(new AgentError(missing ?? `"${command}" cannot be started (${code ?? error.message})`));
    });
  });
  // Before anything else happens in this process.
  const processes = hasGroup && child.pid !== undefined ? ofGroup(child.pid, run, runFolder) : null;
  await started;
  // A pipe to a process that is gone breaks; its exit is what counts.
  child.stdin?.on('error', () => undefined);

  function signal(name: NodeJS.Signals): void {
    if (processes !== null) processes.signal(name);
    else child.kill(name);
  }

  return {
    child,
    exited,
    async stop() {
      const askedAt = performance.now();
      if (child.exitCode === null && child.signalCode === null) {
        signal('SIGTERM');
        const late = setTimeout(() => signal('SIGKILL'), stopTimeoutMs);
        await exited;
        clearTimeout(late);
      }
      // Processes that the agent started may outlive it.
      await processes?.end(Math.max(0, stopTimeoutMs - (performance.now() - askedAt)));
    },
    kill: () => signal('SIGKILL'),
  };
}

/** The processes of the group that this process leads. A file that cannot be written does not stop the run: their environment marks them, too. */
function ofGroup(pid: number, run: string, runFolder: string): RunProcessControl {
  try {
    return controlProcesses(run, writeGroup(runFolder, pid));
  } catch {
    return controlProcesses(run, null);
  }
}
