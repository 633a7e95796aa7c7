/** Builds the tray's menu as plain data (specification/desktop.md#windows-tray-approvals). */
import type { PendingEnrollment } from '#protocol/enrollment.ts';
import { lastPartOf } from '../runner/agents/agent-kinds.ts';
import { type UpdateState, updateItem } from './updates/updates.rules.ts';

export type TrayIcon = 'idle' | 'attention' | 'error' | 'offline';

/** The details of each kind of action. */
interface TrayActionDetails {
  openConsole: object;
  openInbox: object;
  /** After it failed. */
  startBroker: object;
  /** Opens the window with this code; no menu item approves. */
  openApproval: { userCode: string };
  copyJoinCommand: object;
  /** Opens the page with the switch; no menu item opens the broker to the network. */
  openLanAccess: object;
  checkUpdates: object;
  installUpdate: object;
  startAtLogin: object;
  openLog: object;
  /** Opens the screen of agents, at one agent if there is an id. */
  openAgents: { id: string | null };
  runRecent: { id: string };
  stopAgent: { id: string };
  quit: object;
}

export type TrayActionKind = keyof TrayActionDetails;
export type TrayAction<Kind extends TrayActionKind = TrayActionKind> = {
  [K in Kind]: { kind: K } & TrayActionDetails[K];
}[Kind];

export type TrayItem =
  | { kind: 'text'; label: string }
  | { kind: 'separator' }
  | { kind: 'action'; label: string; action: TrayAction; isChecked?: boolean }
  | { kind: 'submenu'; label: string; items: TrayItem[] };

export interface TrayAgent {
  id: string;
  member: string;
  /** The display name of the kind of agent. */
  agent: string;
  state: string;
}

export interface TrayRecent extends Omit<TrayAgent, 'state'> {
  folder: string;
}

export interface TrayModel {
  icon: TrayIcon;
  tooltip: string;
  items: TrayItem[];
}

export interface TrayState {
  broker: BrokerState;
  /** The member who is logged in at this desktop; codes are known only then. */
  member: string | null;
  pending: readonly PendingEnrollment[];
  /** How many items of the inbox need the member. */
  needs: number;
  /** The running agents. */
  agents: readonly TrayAgent[];
  /** The recent runs, newest first. */
  recent: readonly TrayRecent[];
  /** Whether other machines on the network can reach the broker. */
  isLanOn: boolean;
  update: UpdateState;
  /** Null if this app cannot start at login. */
  startsAtLogin: boolean | null;
}

export type BrokerState =
  | { kind: 'starting' | 'stopping' | 'stopped' }
  | { kind: 'running'; url: string; isSetUp: boolean }
  /** Another machine is active; what arrives at `url` is passed on to it. */
  | { kind: 'standingBy'; url: string }
  /**
   * It would stand by, but the database has no team yet, so that nobody answers. `isKept`: the app keeps the address of the
   * database, and not its environment.
   */
  | { kind: 'waiting'; url: string; isKept: boolean }
  /** `reason` is one sentence for the person; the console window shows it. */
  | { kind: 'failed'; reason: string };

/** Whether the console is answered: by the broker here, or by the active machine. */
export const isServed = (
  broker: BrokerState,
): broker is Extract<BrokerState, { kind: 'running' | 'standingBy' }> =>
  broker.kind === 'running' || broker.kind === 'standingBy';

/** A machine that stands by copies a team that was set up. */
export const hasTeam = (broker: BrokerState): boolean =>
  broker.kind === 'standingBy' || ('isSetUp' in broker && broker.isSetUp);

const maxCodes = 5;
const maxLabelLength = 40;

export function trayModel({
  broker,
  member,
  pending,
  needs,
  agents,
  recent,
  isLanOn,
  update,
  startsAtLogin,
}: TrayState): TrayModel {
  const line = stateLine(broker, pending.length, needs);
  const codes = pending.slice(0, maxCodes).map(codeItem);
  const rest = pending.length - codes.length;
  const groups: TrayItem[][] = [
    [{ kind: 'text', label: line }],
    rest > 0 ? [...codes, action(`${rest} more devices…`, { kind: 'openConsole' })] : codes,
    isServed(broker)
      ? [
          action(consoleLabel(hasTeam(broker), member), { kind: 'openConsole' }),
          ...(needs > 0 ? [action(`Inbox (${needs})`, { kind: 'openInbox' })] : []),
          ...(broker.kind === 'running' && broker.isSetUp
            ? [
                // Without LAN access, there is no command that another machine could use.
                ...(isLanOn ? [action('Copy join command', { kind: 'copyJoinCommand' })] : []),
                { ...action('LAN access', { kind: 'openLanAccess' }), isChecked: isLanOn },
              ]
            : []),
        ]
      : [],
    agentItems(agents, recent, hasTeam(broker) && member !== null),
    broker.kind === 'failed'
      ? [
          action('Show why…', { kind: 'openConsole' }),
          action('Try again', { kind: 'startBroker' }),
          action('Open log', { kind: 'openLog' }),
        ]
      : broker.kind === 'waiting'
        ? [action('Show why…', { kind: 'openConsole' })]
        : [],
    [...appItems(update, startsAtLogin), action('Quit', { kind: 'quit' })],
  ];
  const items = groups
    .filter((group) => group.length > 0)
    .flatMap((group, at): TrayItem[] => (at === 0 ? group : [{ kind: 'separator' }, ...group]));
  return { icon: iconOf(broker, pending.length + needs), tooltip: `Muster: ${line}`, items };
}

const action = (label: string, does: TrayAction) => ({ kind: 'action' as const, label, action: does });

function consoleLabel(isSetUp: boolean, member: string | null): string {
  if (!isSetUp) return 'Set up…';
  return member === null ? 'Log in…' : 'Open console';
}

function codeItem({ userCode, labelHint }: PendingEnrollment): TrayItem {
  return action(`${userCode}  ${printable(labelHint) || 'unnamed device'}`, {
    kind: 'openApproval',
    userCode,
  });
}

function appItems(update: UpdateState, startsAtLogin: boolean | null): TrayItem[] {
  const item = updateItem(update);
  return [
    ...(item === null
      ? []
      : [
          item.isEnabled
            ? action(item.label, { kind: update.kind === 'ready' ? 'installUpdate' : 'checkUpdates' })
            : { kind: 'text' as const, label: item.label },
        ]),
    ...(startsAtLogin === null
      ? []
      : [{ ...action('Start at login', { kind: 'startAtLogin' }), isChecked: startsAtLogin }]),
  ];
}

const maxRecent = 8;

function agentItems(
  agents: readonly TrayAgent[],
  recent: readonly TrayRecent[],
  mayStart: boolean,
): TrayItem[] {
  const start = recent
    .slice(0, maxRecent)
    .map(({ id, member, agent, folder }) =>
      action(printable(`${member}  ${agent}  ${lastPartOf(folder)}`), { kind: 'runRecent', id }),
    );
  const other = action('Other…', { kind: 'openAgents', id: null });
  const running = agents.map(
    ({ id, member, agent, state }): TrayItem => ({
      kind: 'submenu',
      label: printable(`${member}  ${agent}  ${state}`),
      items: [
        { kind: 'text', label: state },
        action('Open', { kind: 'openAgents', id }),
        action('Stop', { kind: 'stopAgent', id }),
      ],
    }),
  );
  return [
    ...(running.length === 0
      ? []
      : [
          { kind: 'submenu', label: `Running agents (${running.length})`, items: running } satisfies TrayItem,
        ]),
    ...(mayStart
      ? [
          {
            kind: 'submenu',
            label: 'Run agent',
            items: start.length === 0 ? [other] : [...start, { kind: 'separator' }, other],
          } satisfies TrayItem,
        ]
      : []),
  ];
}

/**
 * Removes what a device could misuse in the label that it chose: control and direction characters and "&",
 * which menus read as a shortcut. Shortens it to one line.
 */
function printable(label: string | null): string {
  const plain = (label ?? '').replaceAll(/[\p{C}&]/gu, ' ').trim();
  return plain.length > maxLabelLength ? `${plain.slice(0, maxLabelLength)}…` : plain;
}

function iconOf(broker: BrokerState, waiting: number): TrayIcon {
  if (broker.kind === 'failed') return 'error';
  if (!isServed(broker)) return 'offline';
  return waiting > 0 || !hasTeam(broker) ? 'attention' : 'idle';
}

const stateOf = {
  starting: 'Starting…',
  stopping: 'Stopping…',
  stopped: 'Stopped',
  /** The console window says why. */
  failed: 'Not running',
  standingBy: 'Standing by',
  waiting: 'Waiting for a team',
} as const;

/** A few words, because menus and tooltips are narrow. */
function stateLine(broker: BrokerState, waiting: number, needs: number): string {
  if (broker.kind !== 'running') return stateOf[broker.kind];
  if (!broker.isSetUp) return 'Not set up yet';
  if (waiting > 0) return waiting === 1 ? '1 device is waiting' : `${waiting} devices are waiting`;
  if (needs > 0) return needs === 1 ? '1 item needs you' : `${needs} items need you`;
  return 'Running';
}
