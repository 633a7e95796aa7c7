/** The process of an agent: started without a shell, and ended with everything that it started. */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import process from 'node:process';
import { codeOf } from '#platform/error-text.ts';
import { AgentError, type AgentExit } from '../agents/agent.ts';

export interface AgentProcess {
  readonly child: ChildProcess;
  readonly exited: Promise<AgentExit>;
  /**
   * Asks with SIGTERM, then ends the whole group with SIGKILL after five seconds. Resolves when the process
   * is gone.
   */
  stop(): Promise<void>;
  /** Ends the whole group at once, for exit paths that cannot wait. */
  kill(): void;
}

export interface ProcessRequest {
  command: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** In a terminal, the agent stays in the person's own process group, so that it controls the terminal. */
  inTerminal: boolean;
}

const stopTimeoutMs = 5000;

/** @throws AgentError with what to do if the program cannot be started. */
export async function startProcess(request: ProcessRequest): Promise<AgentProcess> {
  const { command, args, cwd, env, inTerminal } = request;
  const stdio: StdioOptions = inTerminal ? 'inherit' : 'pipe';
  const hasGroup = !inTerminal && process.platform !== 'win32';
  const child = spawn(command, [...args], { cwd, env, stdio, detached: hasGroup, windowsHide: true });
  const exited = new Promise<AgentExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve).once('error', (error) => {
      const code = codeOf(error);
      const missing =
        code === 'ENOENT' ? `there is no program "${command}". Install it, or check the PATH.` : null;
      reject(new AgentError(missing ?? `"${command}" cannot be started (${code ?? error.message})`));
    });
  });
  // A pipe to a process that is gone breaks; its exit is what counts.
  child.stdin?.on('error', () => undefined);

  function signal(name: NodeJS.Signals): void {
    if (child.pid === undefined) return;
    try {
      process.kill(hasGroup ? -child.pid : child.pid, name);
    } catch {
      // Already gone.
    }
  }

  return {
    child,
    exited,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        signal('SIGTERM');
        const late = setTimeout(() => signal('SIGKILL'), stopTimeoutMs);
        await exited;
        clearTimeout(late);
      }
      // Processes that the agent started may outlive it.
      if (hasGroup) signal('SIGKILL');
    },
    kill: () => signal('SIGKILL'),
  };
}
