/** The contract between the console's page and the main process: a list of words, nothing generic. The page sees `window.muster`. */

import type { AgentLine } from './agents/agent-lines.rules.ts';
import type { AgentKindName } from './agents/spawn-plan.rules.ts';
import type { PageCommand } from './menu/app-menu.rules.ts';

export const channels = {
  request: 'muster:request',
  openFeed: 'muster:open-feed',
  closeFeed: 'muster:close-feed',
  feed: 'muster:feed',
  agentKinds: 'muster:agent-kinds',
  chooseAgentFolder: 'muster:choose-agent-folder',
  chooseAgentProgram: 'muster:choose-agent-program',
  listAgents: 'muster:list-agents',
  startAgent: 'muster:start-agent',
  stopAgent: 'muster:stop-agent',
  restartAgent: 'muster:restart-agent',
  removeAgent: 'muster:remove-agent',
  followAgent: 'muster:follow-agent',
  agents: 'muster:agents',
  commands: 'muster:commands',
  command: 'muster:command',
  lanState: 'muster:lan-state',
  turnLanOn: 'muster:turn-lan-on',
  turnLanOff: 'muster:turn-lan-off',
  keyState: 'muster:key-state',
  exportKey: 'muster:export-key',
} as const;

/** Starts the argument by which the preload learns the broker's address. */
export const addressArgument = '--broker-address=';

export interface BridgeRequest {
  method: string;
  /** Path and query of an operation of the contract. */
  url: string;
  headers: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
}

export interface BridgeAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export interface BridgeFeed {
  /** The page's own number of this feed. */
  feed: number;
  url: string;
}

export type FeedNews =
  | { feed: number; kind: 'event'; event: string; data: string }
  | { feed: number; kind: 'state'; state: 'connecting' | 'open' | 'lost' | 'refused' };

export type BridgeReply<T> = { ok: true; value: T } | { ok: false; code: string; message: string };

export type { AgentKindName };
export type AgentLineView = AgentLine;

export interface AgentKindView {
  kind: AgentKindName;
  name: string;
  isFound: boolean;
  /** As it says itself; null when it does not, and of a command of one's own. */
  version: string | null;
  /** The command that installs it. */
  install: string | null;
}

/** A folder or a program that a dialog of the app or the list of recent runs names; the page passes its id back, never a path. */
export interface AgentPlace {
  id: string;
  path: string;
}

export interface AgentStart {
  member: string;
  kind: AgentKindName;
  folder: string;
  program: string | null;
  args: string[];
  isUnattended: boolean;
  modelUrl: string | null;
}

export interface AgentView {
  id: string;
  member: string;
  kind: AgentKindName;
  program: string | null;
  folder: string;
  args: string[];
  isUnattended: boolean;
  state: 'starting' | 'waiting' | 'working' | 'stopping' | 'ended';
  startedAt: number;
  endedAt: number | null;
  /** Of an ended one; null when a signal ended it. */
  code: number | null;
  /** Somebody asked it to end. */
  isStopped: boolean;
  /** What the agent says it is. */
  agent: string | null;
  /** The structured log of the run. */
  logPath: string | null;
  lastLine: string | null;
}

export interface RecentAgent {
  id: string;
  member: string;
  kind: AgentKindName;
  folder: AgentPlace;
  program: AgentPlace | null;
  args: string[];
  isUnattended: boolean;
  modelUrl: string | null;
  at: number;
}

export interface AgentList {
  /** Running ones first; each newest first. */
  agents: AgentView[];
  recent: RecentAgent[];
}

export type AgentNews =
  | ({ kind: 'list' } & AgentList)
  /** Of the agent that the page follows. */
  | { kind: 'lines'; id: string; lines: AgentLineView[] };

/** How others on the network reach the broker. */
export type LanView =
  /** `fault`: it was on, and could not be opened at start. */
  | { isOn: false; fault: string | null }
  | {
      isOn: true;
      /** To hand to others. */
      url: string;
      /** For each name and address of this machine. */
      urls: string[];
      /** Of the key, as it is pinned. */
      fingerprint: string;
      /** Of the authority's certificate, as systems show it; null with certificates that the broker did not make. */
      authorityFingerprint: string | null;
      /** Of the certificate, epoch ms. */
      expiresAt: number;
    };

/** Where the key that encrypts secrets is. */
export interface KeyView {
  place: 'environment' | 'file' | 'keychain';
  path: string | null;
  /** The log-in of this app outlives it; without a real keychain it is in memory alone. */
  isSessionKept: boolean;
}

export type KeyExport = { kind: 'saved'; path: string } | { kind: 'copied' } | { kind: 'cancelled' };

export interface DesktopBridge {
  /** The broker's own address, for commands that name it. */
  readonly address: string;
  request(request: BridgeRequest): Promise<BridgeReply<BridgeAnswer>>;
  openFeed(feed: BridgeFeed): Promise<BridgeReply<null>>;
  closeFeed(feed: number): Promise<BridgeReply<null>>;
  onFeed(listener: (news: FeedNews) => void): void;
  agentKinds(): Promise<BridgeReply<AgentKindView[]>>;
  /** Null: the person cancelled. */
  chooseAgentFolder(): Promise<BridgeReply<AgentPlace | null>>;
  chooseAgentProgram(): Promise<BridgeReply<AgentPlace | null>>;
  /** From then on the page hears of changes. */
  listAgents(): Promise<BridgeReply<AgentList>>;
  /** Answers its id. */
  startAgent(start: AgentStart): Promise<BridgeReply<string>>;
  stopAgent(id: string): Promise<BridgeReply<null>>;
  restartAgent(id: string): Promise<BridgeReply<string>>;
  removeAgent(id: string): Promise<BridgeReply<null>>;
  /** What it said so far; from then on the page hears its lines, and those of no other. */
  followAgent(id: string): Promise<BridgeReply<AgentLineView[]>>;
  onAgents(listener: (news: AgentNews) => void): void;
  /** For the native menu. */
  tellCommands(commands: PageCommand[]): Promise<BridgeReply<null>>;
  /** One of them was chosen there. */
  onCommand(listener: (id: string) => void): void;
  lanState(): Promise<BridgeReply<LanView>>;
  turnLanOn(): Promise<BridgeReply<LanView>>;
  turnLanOff(): Promise<BridgeReply<LanView>>;
  keyState(): Promise<BridgeReply<KeyView>>;
  /** The app asks the person, and saves or copies; the page learns only what became of it. */
  exportKey(): Promise<BridgeReply<KeyExport>>;
}
