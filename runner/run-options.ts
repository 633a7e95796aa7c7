/** The options that a run is started with. */
import type { HttpClient } from '#client/http-client.ts';
import type { AppPaths, Env } from '#protocol/paths.ts';
import type { AgentKind, BridgeCommand } from './agents/agent.ts';
import type { Mode } from './agents/descriptor.ts';
import type { ToolSet } from './toolbox/toolbox.ts';

export interface RunOptions {
  /** The id of a kind of agent, or a command. */
  kind: string;
  /** A kind of the caller's own, in the place of one that `kind` names. */
  implementation?: AgentKind;
  args: readonly string[];
  cwd: string;
  mode: Mode;
  isUnattended: boolean;
  /** Whether exchanges with the model are recorded. */
  isTraced: boolean;
  /** Whether other requests of the agent are recorded, too. */
  tracesHttp: boolean;
  /** The team's tools that the agent gets; all of them by default. */
  tools?: ToolSet;
  /** Whether the final text of a turn may be the reply to whoever asked; true by default. */
  offersReply?: boolean;
  /** Overrides the model's address. */
  modelUrl: string | null;
  /** Begins a new conversation instead of continuing the one of the last run in this folder. */
  isNewSession?: boolean;
  /** The broker as the member whose agent this is. */
  http: HttpClient;
  env: Env;
  paths: Pick<AppPaths, 'logsDir' | 'runsDir'>;
  /** Ends the run of the member that works at the moment, on any machine. */
  takesOver?: boolean;
  /** How an agent starts `muster mcp-bridge`. */
  bridgeCommand: Pick<BridgeCommand, 'command' | 'args'>;
  /** Whether a command's output is its transcript; otherwise it goes to this process's own output. */
  capturesOutput?: boolean;
  /**
   * Called when the agent starts or stops working: a turn is in progress, or an exchange with its model is.
   */
  onWork?(isWorking: boolean): void;
  /** Prints lines for the person: the state of the run, and the output of an owned agent. */
  tell(line: string): void;
  onTranscript(line: string): void;
}
