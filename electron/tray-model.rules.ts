/** What the tray shows: plain data, turned into a menu elsewhere (design "Windows, tray, approvals"). */
import type { PendingEnrollment } from '#protocol/enrollment.ts';

export type TrayIcon = 'idle' | 'attention' | 'error' | 'offline';

export type TrayAction =
  | { kind: 'openConsole' }
  /** Opens the window with this code; nothing is ever approved from a menu. */
  | { kind: 'openApproval'; userCode: string }
  | { kind: 'copyJoinCommand' }
  | { kind: 'openLog' }
  | { kind: 'quit' };

export type TrayItem =
  | { kind: 'text'; label: string }
  | { kind: 'separator' }
  | { kind: 'action'; label: string; action: TrayAction };

export interface TrayModel {
  icon: TrayIcon;
  tooltip: string;
  items: TrayItem[];
}

export interface TrayState {
  broker: BrokerState;
  /** Who is logged in at this desktop; only then codes are known. */
  member: string | null;
  pending: readonly PendingEnrollment[];
}

export type BrokerState =
  | { kind: 'starting' | 'stopping' | 'stopped' }
  | { kind: 'running'; url: string; isSetUp: boolean }
  /** One sentence for the person. */
  | { kind: 'failed'; reason: string };

const shownCodes = 5;
const labelLength = 40;

export function trayModel({ broker, member, pending }: TrayState): TrayModel {
  const line = stateLine(broker, member, pending.length);
  const codes = pending.slice(0, shownCodes).map(codeItem);
  const rest = pending.length - codes.length;
  const groups: TrayItem[][] = [
    [{ kind: 'text', label: line }],
    rest > 0 ? [...codes, action(`${rest} more devices wait…`, { kind: 'openConsole' })] : codes,
    broker.kind === 'running'
      ? [
          action(broker.isSetUp ? 'Open console' : 'Set up…', { kind: 'openConsole' }),
          ...(broker.isSetUp ? [action('Copy join command', { kind: 'copyJoinCommand' })] : []),
        ]
      : [],
    broker.kind === 'failed' ? [action('Open log', { kind: 'openLog' })] : [],
    [action('Quit', { kind: 'quit' })],
  ];
  const items = groups
    .filter((group) => group.length > 0)
    .flatMap((group, at): TrayItem[] => (at === 0 ? group : [{ kind: 'separator' }, ...group]));
  return { icon: iconOf(broker, pending.length), tooltip: `Muster: ${line}`, items };
}

/** What is pasted on another machine. */
export const joinCommand = (url: string): string => `npx svc connect --url ${url}`;

const action = (label: string, does: TrayAction): TrayItem => ({ kind: 'action', label, action: does });

function codeItem({ userCode, labelHint }: PendingEnrollment): TrayItem {
  return action(`${userCode}  ${printable(labelHint) || 'a device without a name'}`, {
    kind: 'openApproval',
    userCode,
  });
}

/** A device names itself: no control or direction characters, no "&" (menus take it for a shortcut), not longer than a line. */
function printable(label: string | null): string {
  const plain = (label ?? '').replaceAll(/[\p{C}&]/gu, ' ').trim();
  return plain.length > labelLength ? `${plain.slice(0, labelLength)}…` : plain;
}

function iconOf(broker: BrokerState, waiting: number): TrayIcon {
  if (broker.kind === 'failed') return 'error';
  if (broker.kind !== 'running') return 'offline';
  return waiting > 0 || !broker.isSetUp ? 'attention' : 'idle';
}

function stateLine(broker: BrokerState, member: string | null, waiting: number): string {
  if (broker.kind === 'failed') return `the broker does not run: ${broker.reason}`;
  if (broker.kind !== 'running') return `the broker is ${broker.kind}`;
  if (!broker.isSetUp) return 'waiting to be set up';
  if (member === null) return `running at ${broker.url}; log in to see who waits`;
  if (waiting > 0)
    return waiting === 1 ? 'a device waits for approval' : `${waiting} devices wait for approval`;
  return `running at ${broker.url}`;
}
