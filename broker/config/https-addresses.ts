/** The addresses at which other machines reach HTTPS (specification/standby.md#addresses). */
import { networkInterfaces } from 'node:os';
import { isFurtherAddress, maxAddresses } from '#protocol/further-address.ts';
import { isLoopback } from '#protocol/loopback.ts';
import { type Interfaces, ownNames, urlHost } from './own-names.ts';

/** A machine may have many interfaces, and leaves room for the others. */
export const maxOfMachine = 4;

export interface HttpsPlace {
  /** `listen.httpsHost`; undefined: all interfaces. */
  host: string | undefined;
  port: number;
}

/** A database that machines share could hold anything. */
function canOthersReach(address: string): boolean {
  if (!isFurtherAddress(address)) return false;
  const { hostname } = new URL(address);
  return !isLoopback(hostname) && !/^(?:0\.0\.0\.0|\[::\]|\[::ffff:7f.*)$/.test(hostname);
}

const urlOf = (host: string, port: number): string => {
  const url = URL.parse(`https://${urlHost(host)}:${port}`);
  return url?.origin ?? '';
};

/** Returns where this machine listens; `[]` if no other machine can reach it there. */
export function ownHttpsAddresses(
  { host, port }: HttpsPlace,
  interfaces: Interfaces = networkInterfaces(),
): string[] {
  const isEverywhere = host === undefined || host === '0.0.0.0' || host === '::';
  const hosts = isEverywhere ? ownNames([], interfaces).addresses : [host];
  return hosts
    .map((name) => urlOf(name, port))
    .filter(canOthersReach)
    .slice(0, maxOfMachine);
}

/**
 * Returns the addresses of the team in the order in which clients try them: of this machine, of the others as they said,
 * and the names in the configuration. `own`: what `ownHttpsAddresses` returned.
 */
export function teamHttpsAddresses(
  own: readonly string[],
  ofMachines: readonly string[],
  { hosts, port }: { hosts: readonly string[]; port: number },
): string[] {
  const named = own.length === 0 ? [] : ownNames(hosts, {}).configured.map((name) => urlOf(name, port));
  return [...new Set([...own, ...ofMachines, ...named])].filter(canOthersReach).slice(0, maxAddresses);
}
