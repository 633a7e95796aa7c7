/**
 * The interface that the runner needs from a kind of agent (specification/runner.md#parts). CONTRIBUTING.md says how
 * to add a kind.
 */
import type { Message } from '#protocol/message.ts';
import type { Evidence } from '#protocol/receipt.ts';
import type { TurnFailure } from '../delivery/model-refusal.rules.ts';
import type { AgentHooks, HandedTexts } from './agent-hooks.ts';
import type { AgentDescriptor, Mode } from './descriptor.ts';

/** How an agent starts the runner's MCP bridge. */
export interface BridgeCommand {
  command: string;
  args: readonly string[];
  /** SVC_RUNNER_SOCKET and SVC_RUNNER_KEY: everything that the agent ever gets. */
  env: Readonly<Record<string, string>>;
}

/** Messages on their way to the model, framed as data, as one text. */
export interface Bundle {
  /** The ids of its messages, in order. */
  messageIds: readonly string[];
  text: string;
  /** The messages themselves, if the runner needs them for a reply. */
  messages?: readonly Message[];
}

/** Messages that a hook of the agent takes, also for the person at the terminal. */
export type ClaimedBundle = Bundle & HandedTexts;

/** The events that an adapter reports to the runner; every function returns immediately. */
export interface AgentEvents {
  /**
   * How far these messages came; never more than was observed. `offered`: written to a channel that proves
   * nothing.
   */
  onEvidence(messageIds: readonly string[], state: Evidence | 'offered'): void;
  /** A turn of the model begins or ends. */
  onTurn(isActive: boolean): void;
  /** The turn under way took these messages in, which does not prove that its model gets them. */
  onTaken?(messageIds: readonly string[]): void;
  /** The final text of a turn that its model completed; before `onOutcome`. */
  onFinalText?(text: string): void;
  /**
   * The agent's own statement about a turn that took these messages in, possibly none: that its model completed
   * it, or why it did not.
   */
  onOutcome(messageIds: readonly string[], failure: TurnFailure | null): void;
  /** The agent says that its model refused, and that it tries again by itself in the same turn. */
  onSetback(failure: TurnFailure): void;
  /** One line of the agent's output, for the transcript; never secrets of the runner. */
  onTranscript(line: string): void;
}

/** The conversation of an agent's earlier runs for this member, in this folder. */
export interface KeptConversation {
  /** The conversation to continue; null to begin a new one. */
  readonly previous: string | null;
  /** A folder of this member that outlives the run, for what a conversation needs; created by its first user. */
  readonly folder: string;
  /** The next run continues this one; null: it begins a new one. */
  keep(id: string | null): void;
}

export interface AgentSetting {
  /** Absolute. */
  cwd: string;
  /** The agent's own arguments, after `--`. */
  args: readonly string[];
  /** The environment of the agent's process: allow-listed, without any token. */
  env: Readonly<Record<string, string>>;
  mode: Mode;
  /** Uses the agent's own bypass of permission questions. */
  isUnattended: boolean;
  /**
   * The output of an agent that cannot be woken is its transcript, and it has no terminal; otherwise its output
   * goes to the terminal, or to the runner's own.
   */
  capturesOutput?: boolean;
  bridge: BridgeCommand;
  /** Base URL of the loopback gateway for the agent's model; null if exchanges are not recorded. */
  modelUrl: string | null;
  /**
   * The identity of the agent and how messages reach it, for its system prompt. Private to the member: never on
   * a command line.
   */
  instructions: string;
  /** The member's name, for sentences. */
  member: string;
  /** A folder of this run only, 0700, deleted with it: for what must be a file. */
  runFolder: string;
  events: AgentEvents;
  conversation: KeptConversation;
  /** Writes one line to the run's log; `data` contains no secrets. */
  log: (event: string, data?: object) => void;
  /** Shows a sentence to the person, also in the log. */
  tell(sentence: string): void;
}

export interface AgentExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A prepared agent: its files are written, and its process is not started. */
export interface Agent {
  /** @throws AgentError if it cannot be started. */
  start(): Promise<void>;
  /**
   * Brings a bundle to an idle model and begins a turn. Resolves when the agent's process accepted it.
   * @throws AgentError if it did not.
   */
  wake(bundle: Bundle): Promise<void>;
  /** Brings a bundle to a model in the middle of a turn; like wake if there is no such way. */
  steer(bundle: Bundle): Promise<void>;
  /**
   * Asks the agent to end the turn under way, whose end is reported as usual; what it took in stays in its conversation. Returns false if no turn
   * is under way. Absent if there is no way to ask. @throws AgentError if the agent refuses.
   */
  interrupt?(): Promise<boolean>;
  /** Asks the agent to end, then ends its process group after five seconds. Resolves when it is gone. */
  stop(): Promise<void>;
  /** Resolves once the process is gone; never rejects. */
  readonly exited: Promise<AgentExit>;
  /** Whether it continues the conversation of an earlier run; known once it has started. */
  readonly isContinuing: boolean;
  /** Its process id; null before start. */
  readonly pid: number | null;
  /** Restores every file that preparing changed. Safe to call again, and without start. */
  restore(): Promise<void>;
  /** The same without waiting, for exit paths that cannot wait. */
  restoreSync(): void;
}

/** The capabilities of this run of an agent, in its mode and with its arguments. */
export interface Capabilities {
  /**
   * Whether the runner brings messages to the model; otherwise hooks or tools of the agent fetch them
   * (specification/runner.md#toolbox-rules).
   */
  canWake: boolean;
  /** The agent loads the bridge's channel. A message that is written there proves nothing, so it counts as `offered`. */
  hasChannel: boolean;
  /** The agent's hooks fetch messages; null if it has none in this run. */
  hooks: AgentHooks | null;
  /** The agent's name and version: `Claude Code 2.1.197`. */
  version: string;
}

export interface AgentKind {
  descriptor: AgentDescriptor;
  /** Finds the agent's program. @throws AgentError with what to install. */
  capabilities(setting: Pick<AgentSetting, 'cwd' | 'env' | 'mode' | 'args'>): Promise<Capabilities>;
  /**
   * Returns a sentence per setting of the person that keeps messages or tools from the agent. Absent for an agent
   * of which no such setting is known.
   */
  obstacles?(setting: Pick<AgentSetting, 'cwd' | 'env' | 'mode'>): Promise<string[]>;
  /** Writes what the agent needs to find the bridge. @throws AgentError, with everything as before. */
  prepare(setting: AgentSetting): Promise<Agent>;
  /** Returns the address to which the agent would send its model requests without the runner; null if they cannot be redirected. */
  upstream(
    setting: Pick<AgentSetting, 'cwd' | 'env'>,
  ): Promise<{ url: string; api: 'anthropic' | 'openai' } | null>;
}

/** A problem with the agent that a person must fix: one sentence that says what to do. */
export class AgentError extends Error {}
