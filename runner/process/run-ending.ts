/** How a run ends: by a signal, by request, or because its agent ended. However often it is asked for, it happens once. */
import type { Agent, AgentExit } from '../agents/agent.ts';
import type { Mode } from '../agents/descriptor.ts';

export interface RunEnding {
  /** The signal that ended the run; null if the agent ended by itself. */
  readonly endedBy: NodeJS.Signals | null;
  /** As if the process had got this signal. `isEarly`: it came before the agent was in front. */
  end(signal: NodeJS.Signals, isEarly?: boolean): void;
  stop(): Promise<void>;
  /** Resolves with how the agent ended, when everything is restored and reported. */
  readonly ended: Promise<AgentExit>;
}

export interface RunEndingOptions {
  /** Disposed once, at the end. */
  parts: AsyncDisposableStack;
  agent: Agent;
  mode: Mode;
  log: (event: string, data?: object) => void;
}

export function createRunEnding({ parts, agent, mode, log }: RunEndingOptions): RunEnding {
  let endedBy: NodeJS.Signals | null = null;
  let stopping: Promise<void> | null = null;
  const stop = (): Promise<void> => {
    stopping ??= parts.disposeAsync();
    return stopping;
  };
  const ended = agent.exited.then(async (how) => {
    log('agent ended', how);
    await stop();
    return how;
  });
  return {
    get endedBy() {
      return endedBy;
    },
    end(signal, isEarly = false) {
      // In a terminal, Ctrl+C is for the agent, which is in front.
      if (signal === 'SIGINT' && mode === 'terminal' && !isEarly) return;
      endedBy ??= signal;
      void stop();
    },
    stop,
    ended,
  };
}
