/**
 * The reserves of failures on which a login may draw, in this order (specification/authentication.md#login-limits,
 * ADR 0030). A login that proves more than an address has a reserve that no stranger can use up.
 */

export interface LoginProof {
  /** The member whom the request names; null if it names none. */
  named: string | null;
  /** The member and the id of a device that logged in before; null without one. */
  device: { member: string; id: string } | null;
  /** The member of the bearer token that the request also has; null without one. */
  bearer: string | null;
  address: string;
  /** The address or prefix that counts as one source (http/rate-limit.ts). */
  source: string;
  /** The network to which the source belongs (http/rate-limit.ts). */
  network: string;
}

/** One of the limits of a day for strangers (`limits.strangerLoginFailures`), and what it counts. */
export interface DayLimit {
  limit: 'all' | 'unnamed' | 'perNetwork' | 'perName';
  key: string;
}

export interface Reserve {
  key: string;
  /** Nothing vouches for a stranger but an address, of which an attacker can have any number. */
  days: readonly DayLimit[];
}

const isLoopback = (address: string): boolean =>
  address === '::1' || /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(address);

/** The reserve of a holder of one of the member's tokens. */
export const bearerReserve = (member: string): Reserve => ({ key: `bearer ${member}`, days: [] });

/** Draws on what all strangers share, and then on the few attempts that each name has for itself. */
function strangerReserves({ named, source, network }: LoginProof): Reserve[] {
  const key = `source ${source}`;
  const all: DayLimit = { limit: 'all', key: '' };
  if (named === null) return [{ key, days: [all, { limit: 'unnamed', key: '' }] }];
  const ofNetwork: DayLimit = { limit: 'perNetwork', key: network };
  return [
    { key, days: [ofNetwork, all] },
    { key, days: [ofNetwork, { limit: 'perName', key: named }] },
  ];
}

export function reservesOf(proof: LoginProof): Reserve[] {
  const { named, device, bearer, address } = proof;
  const known: Reserve[] = [];
  if (device !== null && device.member === named) known.push({ key: `device ${device.id}`, days: [] });
  if (bearer !== null && bearer === named) known.push(bearerReserve(bearer));
  if (isLoopback(address)) return [...known, { key: 'loopback', days: [] }];
  return [...known, ...strangerReserves(proof)];
}
