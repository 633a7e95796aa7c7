/** The settings of `listen` for the number of connections (specification/configuration.md#listening). */
import { BlockList, isIP } from 'node:net';
import { limits } from '#protocol/limits.ts';
import type { ListenBlock } from './svc-config.ts';

export interface ConnectionPolicy {
  caps: { all: number; perSource: number; reserved: number };
  /** Whether an address has no limit of its own and may use the reserve. */
  isExempt(address: string): boolean;
}

export const wantedConnections = (listen: ListenBlock | undefined): number =>
  listen?.maxConnections ?? limits.connections.all;

const loopback = ['127.0.0.0/8', '::1/128'];

const halves = { ipv4: ['0.0.0.0', '128.0.0.0'], ipv6: ['::', '8000::'] };

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** `possible`: how many connections the system allows; null if that is not known. */
export function connectionPolicy(listen: ListenBlock | undefined, possible: number | null): ConnectionPolicy {
  const { connections } = limits;
  const all = Math.min(wantedConnections(listen), possible ?? Number.POSITIVE_INFINITY);
  const exempt = new BlockList();
  for (const written of [...(listen?.unlimitedSources ?? loopback), ...(listen?.trustedProxies ?? [])]) {
    const [address = '', bits] = written.split('/');
    const family = familyOf(address);
    if (bits === undefined) exempt.addAddress(address, family);
    else if (Number(bits) > 0) exempt.addSubnet(address, Number(bits), family);
    // A list takes no range of everything.
    else for (const half of halves[family]) exempt.addSubnet(half, 1, family);
  }
  return {
    caps: {
      all,
      perSource: listen?.maxConnectionsPerSource ?? connections.perSource,
      reserved: Math.min(connections.reserved, Math.floor(all / 2)),
    },
    // A mapped address, such as ::ffff:127.0.0.1, matches the ranges of IPv4.
    isExempt: (address) => isIP(address) !== 0 && exempt.check(address, familyOf(address)),
  };
}
