/** Everything that may act as a member, and the order of the list. Pure. */
import type { SessionInfo } from '#protocol/session.ts';
import type { Device } from '#protocol/token.ts';

export const accessKinds = ['token', 'run', 'session'] as const;

/** A token, the token of a run, or a session of the console. */
export interface Access {
  id: string;
  memberName: string;
  kind: (typeof accessKinds)[number];
  name: string;
  /** Revoking it ends the member's sessions, too. */
  isPrimary: boolean;
  /** The session of this page. */
  isCurrent: boolean;
  createdAt: number;
  createdBy: string | null;
  lastUsedAt: number | null;
  expiresAt: number | null;
  address: string | null;
}

export const accessOfToken = (device: Device): Access => ({
  ...device,
  kind: device.isRun ? 'run' : 'token',
  name: nameOfDevice(device),
  isCurrent: false,
});

export const accessOfSession = ({ device, address, current, ...session }: SessionInfo): Access => ({
  ...session,
  kind: 'session',
  name: device,
  isPrimary: false,
  isCurrent: current,
  createdBy: null,
  address: address || null,
});

export const deviceUses = ['all', 'recent', 'idle', 'never', 'tokens', 'runs', 'sessions'] as const;
export type DeviceUse = (typeof deviceUses)[number];

export const labelOfUse: Record<DeviceUse, string> = {
  all: 'Tokens, runs, and sessions',
  recent: 'Used in the last day',
  idle: 'Not used for 30 days',
  never: 'Never used',
  tokens: 'Tokens of devices',
  runs: 'Runs of agents',
  sessions: 'Sessions of the console',
};

export interface DeviceFilter {
  text: string;
  use: DeviceUse;
}

const dayMs = 86_400_000;
const idleMs = 30 * dayMs;

/** Of a primary token without a label. */
export const primaryName = 'Primary token';

export const nameOfDevice = ({ label, isPrimary }: Pick<Device, 'label' | 'isPrimary'>): string =>
  label || (isPrimary ? primaryName : 'Unnamed device');

function isOfUse({ kind, lastUsedAt, createdAt }: Access, use: DeviceUse, now: number): boolean {
  switch (use) {
    case 'all':
      return true;
    case 'tokens':
    case 'runs':
    case 'sessions':
      return use === `${kind}s`;
    case 'never':
      return lastUsedAt === null;
    case 'recent':
      return lastUsedAt !== null && lastUsedAt > now - dayMs;
    case 'idle':
      return (lastUsedAt ?? createdAt) <= now - idleMs;
  }
}

export const sortColumns = ['name', 'memberName', 'kind', 'createdAt', 'lastUsedAt', 'address'] as const;

export interface Order {
  by: (typeof sortColumns)[number];
  isDescending: boolean;
}

function compare(a: Access, b: Access, by: Order['by']): number {
  if (by === 'createdAt' || by === 'lastUsedAt') return (a[by] ?? 0) - (b[by] ?? 0);
  return (a[by] ?? '').localeCompare(b[by] ?? '', undefined, { numeric: true });
}

/** Returns what matches, in this order, and what is equal in it by the last use, newest first. */
export function shownAccess(
  all: readonly Access[],
  filter: DeviceFilter,
  order: Order,
  now: number,
): Access[] {
  const wanted = filter.text.trim().toLowerCase();
  const sign = order.isDescending ? -1 : 1;
  return all
    .filter((one) => isOfUse(one, filter.use, now))
    .filter((one) =>
      [one.memberName, one.name, one.address ?? '', one.createdBy ?? '']
        .join('\n')
        .toLowerCase()
        .includes(wanted),
    )
    .sort(
      (a, b) =>
        sign * compare(a, b, order.by) || (b.lastUsedAt ?? b.createdAt) - (a.lastUsedAt ?? a.createdAt),
    );
}
