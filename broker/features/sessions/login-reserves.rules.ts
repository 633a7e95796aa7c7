/**
 * On which reserves of failures a login may draw, in this order (specification/authentication.md#login-limits,
 * ADR 0030). What proves more than an address has a reserve that no stranger can use up.
 */

export interface LoginProof {
  /** The member whom the request names; null if it names none. */
  named: string | null;
  /** The member and the id of a device that logged in before; null without one. */
  device: { member: string; id: string } | null;
  /** The member of the bearer token that the request also has; null without one. */
  bearer: string | null;
  address: string;
  /** What counts as one source (http/rate-limit.ts). */
  source: string;
}

export interface Reserve {
  key: string;
  /** Nothing vouches for it but its address, of which an attacker can have any number. */
  isStranger: boolean;
}

const isLoopback = (address: string): boolean =>
  address === '::1' || /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(address);

/** The reserve of a holder of one of the member's tokens. */
export const bearerReserve = (member: string): Reserve => ({ key: `bearer ${member}`, isStranger: false });

export function reservesOf({ named, device, bearer, address, source }: LoginProof): Reserve[] {
  const known: Reserve[] = [];
  if (device !== null && device.member === named)
    known.push({ key: `device ${device.id}`, isStranger: false });
  if (bearer !== null && bearer === named) known.push(bearerReserve(bearer));
  const last = isLoopback(address)
    ? { key: 'loopback', isStranger: false }
    : { key: `source ${source}`, isStranger: true };
  return [...known, last];
}
