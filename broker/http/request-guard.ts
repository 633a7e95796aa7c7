/**
 * Checks the headers of every request before anything else is checked: a Host of this broker, an Origin of this
 * broker, and the protocol version (specification/api.md#browser-guards).
 */
import { networkInterfaces } from 'node:os';
import { refuse } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import { type Interfaces, ownHostName } from '../config/own-names.ts';
import type { PublicAddress } from './public-address.ts';

/**
 * Returns the name in a Host header without the port; IPv6 keeps its brackets. Null if it is not one host.
 */
export function hostNameOf(host: string): string | null {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i.exec(host);
  return match?.[1]?.toLowerCase() ?? null;
}

/** Nearly all requests name the same host as the one before. */
let lastHost = '';
let lastName: string | null = null;

function knownHostName(host: string): string | null {
  if (host !== lastHost) [lastHost, lastName] = [host, hostNameOf(host)];
  return lastName;
}

/** `names`: names and values in turn. */
function countOf(header: string, names: readonly string[]): number {
  let count = 0;
  for (let n = 0; n < names.length; n += 2) {
    const name = names[n];
    if (name?.length === header.length && name.toLowerCase() === header) count += 1;
  }
  return count;
}

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];
/** A machine that moves to another network is reached at its new address at once. */
const rereadInterfacesMs = 1000;

/**
 * The names to which this broker answers: loopback names, its own host name and addresses, and the configured
 * ones. Any other Host means that a page had its own name resolve to this broker (DNS rebinding).
 */
export function createOwnHosts(
  configured: () => readonly string[],
  interfaces: () => Interfaces = networkInterfaces,
  stopwatch: () => number = () => performance.now(),
): (name: string) => boolean {
  let readAt = Number.NEGATIVE_INFINITY;
  let names = new Set<string>();
  function read(): void {
    const own = ownHostName();
    const addresses = Object.values(interfaces())
      .flatMap((entries) => entries ?? [])
      .map(({ address, family }) => (family === 'IPv6' ? `[${address.replace(/%.*$/, '')}]` : address));
    names = new Set([...loopbackNames, own, `${own}.local`, ...addresses]);
    readAt = stopwatch();
  }
  return (name) => {
    if (loopbackNames.includes(name)) return true;
    if (stopwatch() - readAt > rereadInterfacesMs) read();
    return names.has(name) || configured().some((host) => host.toLowerCase() === name);
  };
}

export interface GuardedRequest {
  address: PublicAddress;
  /** Names and values in turn, as they arrived: among the parsed headers, a repeated Host is not there. */
  rawHeaders: readonly string[];
  origin: string | undefined;
  protocolVersion: string | string[] | undefined;
  /** The address of another machine at which the client arrived; null if it arrived here. */
  arrival: string | null;
}

/**
 * Refuses a request that is not addressed to this broker, comes from another site's page, or uses another
 * protocol version.
 */
export function guardRequest(request: GuardedRequest, isOwnHost: (name: string) => boolean): void {
  const { origin, protocolVersion, rawHeaders, arrival } = request;
  if (countOf('host', rawHeaders) > 1) refuse('repeated_host');
  const { scheme, host } = request.address;
  if (host === null) refuse('missing_host');
  const name = knownHostName(host);
  // A page can have a name resolve to that address, but it cannot make a browser send the address as its own name.
  if (name === null || !(name === arrival || isOwnHost(name))) {
    refuse('unknown_host');
  }
  if (origin !== undefined && origin.toLowerCase() !== `${scheme}://${host.toLowerCase()}`)
    refuse('foreign_origin');
  if (protocolVersion !== undefined && protocolVersion !== String(limits.protocolVersion)) {
    refuse('unsupported_protocol', { version: limits.protocolVersion });
  }
}
