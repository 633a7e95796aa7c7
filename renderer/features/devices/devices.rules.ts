/** The devices of the list, and their order. Pure. */
import type { Device } from '#protocol/token.ts';

export const deviceUses = ['all', 'recent', 'idle', 'never', 'runs'] as const;
export type DeviceUse = (typeof deviceUses)[number];

export const labelOfUse: Record<DeviceUse, string> = {
  all: 'All devices',
  recent: 'Used in the last day',
  idle: 'Not used for 30 days',
  never: 'Never used',
  runs: 'Runs of agents',
};

export interface DeviceFilter {
  text: string;
  use: DeviceUse;
}

const dayMs = 86_400_000;
const idleMs = 30 * dayMs;

export const nameOfDevice = ({ label, isPrimary }: Pick<Device, 'label' | 'isPrimary'>): string =>
  label || (isPrimary ? 'Primary token' : 'Unnamed device');

function isOfUse({ isRun, lastUsedAt, createdAt }: Device, use: DeviceUse, now: number): boolean {
  switch (use) {
    case 'all':
      return true;
    case 'runs':
      return isRun;
    case 'never':
      return lastUsedAt === null;
    case 'recent':
      return lastUsedAt !== null && lastUsedAt > now - dayMs;
    case 'idle':
      return (lastUsedAt ?? createdAt) <= now - idleMs;
  }
}

/** Returns the devices that match, by member, and those of a member by their last use, newest first. */
export function shownDevices(devices: readonly Device[], filter: DeviceFilter, now: number): Device[] {
  const wanted = filter.text.trim().toLowerCase();
  return devices
    .filter((one) => isOfUse(one, filter.use, now))
    .filter((one) =>
      [one.memberName, nameOfDevice(one), one.address ?? '', one.createdBy ?? '']
        .join('\n')
        .toLowerCase()
        .includes(wanted),
    )
    .sort(
      (a, b) =>
        a.memberName.localeCompare(b.memberName) ||
        (b.lastUsedAt ?? b.createdAt) - (a.lastUsedAt ?? a.createdAt),
    );
}
