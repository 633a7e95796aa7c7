/**
 * The contract between the console's page and the main process: one row per call of the page and per event for the page. The preload, the
 * handlers of the main process and `DesktopBridge`, which the page sees as `window.muster`, derive from these tables. The schemas of the
 * arguments are in `bridge-schemas.ts`, because the preload has no zod.
 */

import type { Leaf } from '#protocol/access.ts';
import type { AgentKindId } from '../runner/agents/agent-kinds.ts';
import type { AgentLine } from './agents/agent-lines.rules.ts';
import type { PageCommand } from './menu/app-menu.rules.ts';

/** Starts the argument by which the preload learns the broker's address. */
export const addressArgument = '--broker-address=';

export interface BridgeRequest {
  method: string;
  /** Path and query of an operation of the contract. */
  url: string;
  headers: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer> | undefined;
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

export type AgentLineView = AgentLine;

export interface AgentKindView {
  kind: AgentKindId;
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
  kind: AgentKindId;
  folder: string;
  program: string | null;
  args: string[];
  isUnattended: boolean;
  modelUrl: string | null;
}

export interface AgentView {
  id: string;
  member: string;
  kind: AgentKindId;
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
  kind: AgentKindId;
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

/** Who may make a call: the console's own page, or such a page while a member with this permission is logged in. */
export type BridgeRight = 'own page' | Extract<Leaf, 'members.manage'>;

/** `Argument` is null for a call without one. Both type parameters exist only for the type check. */
interface CallRow<Right extends BridgeRight, Argument, Reply> {
  right: Right;
  types?: { argument: Argument; reply: Reply };
}
interface EventRow<News> {
  types?: News;
}

const anyPage = <Argument, Reply>(): CallRow<'own page', Argument, Reply> => ({ right: 'own page' });
const manager = <Argument, Reply>(): CallRow<'members.manage', Argument, Reply> => ({
  right: 'members.manage',
});
const eventOf = <News>(): EventRow<News> => ({});

export const bridgeCalls = {
  request: anyPage<BridgeRequest, BridgeAnswer>(),
  openFeed: anyPage<BridgeFeed, null>(),
  closeFeed: anyPage<number, null>(),
  /** The commands of the page, for the native menu. */
  tellCommands: anyPage<PageCommand[], null>(),
  agentKinds: manager<null, AgentKindView[]>(),
  /** Null: the person canceled. */
  chooseAgentFolder: manager<null, AgentPlace | null>(),
  chooseAgentProgram: manager<null, AgentPlace | null>(),
  /** From then on the page gets `onAgents`. */
  listAgents: manager<null, AgentList>(),
  /** Returns the id of the agent. */
  startAgent: manager<AgentStart, string>(),
  stopAgent: manager<string, null>(),
  /** Returns the id of the new run. */
  restartAgent: manager<string, string>(),
  removeAgent: manager<string, null>(),
  /** Returns the lines so far. From then on the page gets the lines of this agent, and of no other. */
  followAgent: manager<string, AgentLineView[]>(),
  lanState: manager<null, LanView>(),
  turnLanOn: manager<null, LanView>(),
  turnLanOff: manager<null, LanView>(),
  keyState: manager<null, KeyView>(),
  /** The app asks the person, and saves or copies the key; the page learns only the outcome. */
  exportKey: manager<null, KeyExport>(),
};

export const bridgeEvents = {
  onFeed: eventOf<FeedNews>(),
  onAgents: eventOf<AgentNews>(),
  /** A command of the page was chosen in the native menu: its id. */
  onCommand: eventOf<string>(),
};

export type CallName = keyof typeof bridgeCalls;
export type EventName = keyof typeof bridgeEvents;
type TypesOf<Row extends { types?: unknown }> = NonNullable<Row['types']>;
export type ArgumentOf<Name extends CallName> = TypesOf<(typeof bridgeCalls)[Name]>['argument'];
export type ReplyOf<Name extends CallName> = TypesOf<(typeof bridgeCalls)[Name]>['reply'];
export type NewsOf<Name extends EventName> = TypesOf<(typeof bridgeEvents)[Name]>;

/** The engine's channel of a row. */
export const channelOf = (name: CallName | EventName): string => `muster:${name}`;

export type DesktopBridge = {
  /** The broker's own address, for commands that name it. */
  readonly address: string;
} & {
  [Name in CallName]: (
    ...argument: ArgumentOf<Name> extends null ? [] : [ArgumentOf<Name>]
  ) => Promise<BridgeReply<ReplyOf<Name>>>;
} & {
  [Name in EventName]: (listener: (news: NewsOf<Name>) => void) => void;
};
