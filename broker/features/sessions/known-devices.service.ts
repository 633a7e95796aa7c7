/**
 * Browsers from which a member has logged in. Their cookie opens nothing; it only proves an earlier login, so that
 * wrong codes of strangers do not lock the member out there (specification/authentication.md#login-limits).
 */
import { limits } from '#protocol/limits.ts';
import type { Clock } from '../../runtime/clock.ts';
import { hashSessionCookie, isSessionCookie, mintSessionCookie } from '../../security/session-cookie.ts';
import type { Members } from '../members/members.service.ts';
import type { KnownDevice, KnownDeviceUnits } from './known-devices.sqlite.ts';

export interface KnownDevices {
  /** Returns the member who logged in with this cookie before, and an id of the device; null if nobody did. */
  recognize(cookie: string | null): { member: string; id: string } | null;
  /** The member has logged in here. Returns the cookie of the device, which stays the same for a known one. */
  remember(member: string, cookie: string | null): Promise<string>;
  countOf(member: string): number;
  /** The member's rows are gone. */
  forgetMember(member: string): void;
  load(): Promise<void>;
}

export interface KnownDeviceDeps {
  units: KnownDeviceUnits;
  members: Pick<Members, 'find'>;
  clock: Clock;
}

const { lifetimeMs, perMember } = limits.knownDevice;

export function createKnownDevices({ units, members, clock }: KnownDeviceDeps): KnownDevices {
  const deviceByHash = new Map<string, KnownDevice>();

  function find(cookie: string | null): KnownDevice | undefined {
    if (cookie === null || !isSessionCookie(cookie)) return undefined;
    const device = deviceByHash.get(hashSessionCookie(cookie));
    return device === undefined || device.lastUsedAt + lifetimeMs <= clock() ? undefined : device;
  }

  const devicesOf = (member: string): KnownDevice[] =>
    [...deviceByHash.values()]
      .filter((device) => device.member === member)
      .sort((a, b) => b.lastUsedAt - a.lastUsedAt);

  function forgetMember(member: string): void {
    for (const { hash } of devicesOf(member)) deviceByHash.delete(hash);
  }

  return {
    recognize(cookie) {
      const device = find(cookie);
      return device === undefined ? null : { member: device.member, id: device.hash };
    },
    async remember(member, cookie) {
      // A cookie of somebody else, or one that another port planted, is never made a proof for this member.
      const isOwn = find(cookie)?.member === member;
      const value = isOwn && cookie !== null ? cookie : mintSessionCookie();
      const device = { hash: hashSessionCookie(value), member, lastUsedAt: clock() };
      const others = devicesOf(member).filter(({ hash }) => hash !== device.hash);
      const beyond = others.slice(perMember - 1).map(({ hash }) => hash);
      await units.putKnownDevice({ device, remove: beyond });
      for (const hash of beyond) deviceByHash.delete(hash);
      deviceByHash.set(device.hash, device);
      return value;
    },
    countOf: (member) => devicesOf(member).length,
    forgetMember,
    async load() {
      const expired = clock() - lifetimeMs;
      await units.removeKnownDevicesUpTo(expired);
      for (const device of await units.knownDevicesSince(expired))
        if (members.find(device.member) !== undefined) deviceByHash.set(device.hash, device);
    },
  };
}
