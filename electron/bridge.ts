/**
 * The contract between the console's page and the main process: one row per call of the page and per event
 * for the page. The preload script, the handlers of the main process, and `DesktopBridge`, which the page
 * sees as `window.muster`, derive from these tables. The schemas of the arguments are in `bridge-schemas.ts`,
 * because the preload script has no zod.
 */

import type { Leaf } from '#protocol/access.ts';
import type { AgentKindId } from '../runner/agents/agent-kinds.ts';
import type { AgentLine } from './agents/agent-lines.rules.ts';
import type { PageCommand } from './menu/app-menu.rules.ts';
import type { DatabasePlace } from './standby/database-address.rules.ts';

/** The prefix of the argument that tells the preload script the broker's address. */
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
  /** The number that the page gave this feed. */
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
  /** The version that the program reports; null if it reports none, and for a custom command. */
  version: string | null;
  /** The command that installs the agent. */
  install: string | null;
}

/**
 * A folder or a program from a dialog of the app or from the list of recent runs. The page passes its id
 * back, never a path.
 */
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
  /** Set after the run ended; null if a signal ended it. */
  code: number | null;
  /** Whether someone asked the run to end. */
  isStopped: boolean;
  /** It was refused or ended because another run of the member holds the lease. */
  isHeldElsewhere: boolean;
  /** The name that the agent reports for itself. */
  agent: string | null;
  /** The file of the run's structured log. */
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
  /** The running ones first; the newest first in each group. */
  agents: AgentView[];
  recent: RecentAgent[];
}

export type AgentNews =
  | ({ kind: 'list' } & AgentList)
  /** New lines of the agent that the page follows. */
  | { kind: 'lines'; id: string; lines: AgentLineView[] };

/** How other machines on the network reach the broker. */
export type LanView =
  /** `fault`: LAN access was on, and could not be opened at startup. */
  | { isOn: false; fault: string | null }
  | {
      isOn: true;
      /** The address to give to others. */
      url: string;
      /** One address for each name and IP address of this machine. */
      urls: string[];
      /** The fingerprint of the key, as clients pin it. */
      fingerprint: string;
      /**
       * The fingerprint of the authority's whole certificate, which operating systems show; null if the
       * broker did not make the certificate.
       */
      authorityFingerprint: string | null;
      /** When the certificate expires, in epoch ms. */
      expiresAt: number;
    };

export interface BridgeUpload {
  upload: number;
  /** Path and query of the operation. */
  url: string;
}

export interface UploadPart {
  upload: number;
  /** At most `maxPartBytes`. */
  bytes: Uint8Array;
}

export const maxPartBytes = 1024 * 1024;

export interface UploadReply {
  status: number;
  body: string;
}

/** The storage place of the key that encrypts secrets. */
export interface KeyView {
  place: 'environment' | 'file' | 'keychain';
  path: string | null;
  /** Whether the login survives a restart of the app. Without a real keychain, it is only in memory. */
  isSessionKept: boolean;
}

export type KeyExport = { kind: 'saved'; path: string } | { kind: 'copied' } | { kind: 'canceled' };

/** The machines that stand by for each other. */
export interface StandbyView {
  /** Of this machine. */
  role: 'active' | 'standing by';
  /** Null if no machine is. `since`: epoch ms. `age`: of the last confirmation, ms. */
  active: { name: string; since: number; age: number } | null;
  /** `age`: since the machine last said that it stands by, ms. */
  others: { name: string; version: string; isComplete: boolean; age: number; isThere: boolean }[];
}

/** The database of several machines, without the user and the password in its address. */
export interface DatabaseView {
  /** The source of its address; null if this machine is the only one. */
  source: 'environment' | 'app' | null;
  place: DatabasePlace | null;
  /** Of this machine, as the app keeps it; null: the default. */
  name: string | null;
  address: string | null;
  /** Why it cannot be named here, in one sentence; null if it can. */
  obstacle: string | null;
}

export interface DatabaseForm {
  /** With the user and the password. */
  url: string;
  /** Of this machine, for people; null: the system's name. */
  name: string | null;
  /** `host:port`, where other machines reach this one; null: the default. */
  address: string | null;
}

export interface JoinForm extends DatabaseForm {
  /** Of the team, as its manager exported it. */
  key: string;
}

/** The backups that the app makes. */
export interface BackupView {
  /** Null until a folder was chosen. */
  folder: string | null;
  isDaily: boolean;
  isRunning: boolean;
  /** The outcome of the last one in one sentence, and in another one the fault that it has although it was made. */
  last: { endedAt: number; isDone: boolean; text: string; fault?: string | undefined } | null;
}

/**
 * The permitted caller of a call: the console's own page, or that page while a member with this permission is logged in.
 */
export type BridgeRight = 'own page' | Extract<Leaf, 'members.manage'>;

/** `Argument` is null for a call without an argument. Both type parameters exist only for the type check. */
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
  /** Begins the upload of a file under a number that the page chose. */
  openUpload: anyPage<BridgeUpload, null>(),
  /** Resolves when the next part may be sent; false if the broker has answered and wants no more. */
  sendUpload: anyPage<UploadPart, boolean>(),
  /** Returns the broker's reply. */
  endUpload: anyPage<number, UploadReply>(),
  /** Writes nothing. */
  stopUpload: anyPage<number, null>(),
  /** Tells the app the commands of the page, for the native menu. */
  tellCommands: anyPage<PageCommand[], null>(),
  agentKinds: manager<null, AgentKindView[]>(),
  /** Returns null if the person canceled. */
  chooseAgentFolder: manager<null, AgentPlace | null>(),
  chooseAgentProgram: manager<null, AgentPlace | null>(),
  /** Returns the agents; from then on, the page gets `onAgents`. */
  listAgents: manager<null, AgentList>(),
  /** Returns the id of the agent. */
  startAgent: manager<AgentStart, string>(),
  stopAgent: manager<string, null>(),
  /** Returns the id of the new run. */
  restartAgent: manager<string, string>(),
  /** Starts it again and ends the other run of its member. Returns the id of the new run. */
  takeOverAgent: manager<string, string>(),
  removeAgent: manager<string, null>(),
  /** Returns the lines so far. From then on, the page gets the lines of this agent and of no other. */
  followAgent: manager<string, AgentLineView[]>(),
  lanState: manager<null, LanView>(),
  turnLanOn: manager<null, LanView>(),
  turnLanOff: manager<null, LanView>(),
  /** Returns null if this machine is the only one. */
  standbyState: manager<null, StandbyView | null>(),
  databaseState: manager<null, DatabaseView>(),
  /** Asks the person before it connects to a host for the first time. It is refused if the database cannot be used. */
  testDatabase: manager<DatabaseForm, null>(),
  /** Asks the person, tests the database, and starts the app again. False if the person canceled. */
  nameDatabase: manager<DatabaseForm, boolean>(),
  /** Asks the person, goes back to one machine, and starts the app again. False if the person canceled. */
  leaveDatabase: manager<null, boolean>(),
  /** Why this machine cannot join a team in the app, in one sentence; null if it can. Refused on a machine with a team. */
  joinObstacle: anyPage<null, string | null>(),
  /** As `testDatabase`, on a machine without a team. */
  testJoin: anyPage<JoinForm, null>(),
  /** Asks the person, tests the database and the key, and starts the app again. False if the person canceled. */
  joinTeam: anyPage<JoinForm, boolean>(),
  backupState: manager<null, BackupView>(),
  /** Asks for a folder in a dialog of the app. Nothing changes if the person cancels. */
  chooseBackupFolder: manager<null, BackupView>(),
  setDailyBackup: manager<boolean, BackupView>(),
  backUpNow: manager<null, BackupView>(),
  keyState: manager<null, KeyView>(),
  /** Asks the person and saves or copies the key. The page learns only the outcome. */
  exportKey: manager<null, KeyExport>(),
};

export const bridgeEvents = {
  onFeed: eventOf<FeedNews>(),
  onAgents: eventOf<AgentNews>(),
  /** The id of a page command that was chosen in the native menu. */
  onCommand: eventOf<string>(),
};

export type CallName = keyof typeof bridgeCalls;
export type EventName = keyof typeof bridgeEvents;
type TypesOf<Row extends { types?: unknown }> = NonNullable<Row['types']>;
export type ArgumentOf<Name extends CallName> = TypesOf<(typeof bridgeCalls)[Name]>['argument'];
export type ReplyOf<Name extends CallName> = TypesOf<(typeof bridgeCalls)[Name]>['reply'];
export type NewsOf<Name extends EventName> = TypesOf<(typeof bridgeEvents)[Name]>;

/** The Electron channel of a row. */
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
