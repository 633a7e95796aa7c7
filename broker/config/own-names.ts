/** The host names and addresses by which others may reach this machine. */
import { hostname, type NetworkInterfaceInfo, networkInterfaces } from 'node:os';

export type Interfaces = Readonly<Record<string, NetworkInterfaceInfo[] | undefined>>;

export interface OwnNames {
  /** The machine's network addresses. Link-local ones are left out, because they do not work in a URL. */
  addresses: string[];
  /** Addresses, the `.local` name, and the configured names. */
  network: string[];
  /** The configured names that a certificate can hold. */
  configured: string[];
  /** All of these, and the machine's names for itself: what a certificate is issued for. */
  all: string[];
}

/** Returns this machine's own name without `.local`, which macOS appends. */
export const ownHostName = (): string =>
  hostname()
    .toLowerCase()
    .replace(/\.local$/, '');

/**
 * A certificate can hold plain ASCII names and bare addresses only; any other name would make the whole
 * certificate impossible.
 */
const certifiable = (name: string): string[] => {
  const bare = name.replace(/^\[(.*)\]$/, '$1');
  return /^[a-z0-9._:-]+$/i.test(bare) ? [bare] : [];
};

/** `configured` are the further names from `listen.hosts`. */
export function ownNames(
  configured: readonly string[],
  interfaces: Interfaces = networkInterfaces(),
): OwnNames {
  const addresses = Object.values(interfaces)
    .flatMap((entries) => entries ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'))
    .map(({ address }) => address.replace(/%.*$/, ''));
  const [name = 'localhost'] = certifiable(ownHostName());
  const named = configured.flatMap(certifiable);
  const network = [...new Set([...addresses, `${name}.local`, ...named])];
  return {
    addresses,
    network,
    configured: named,
    all: [...new Set([name, ...network, 'localhost', '127.0.0.1', '::1'])],
  };
}

/** Returns the name as the host of a URL. */
export const urlHost = (name: string): string => (name.includes(':') ? `[${name}]` : name);
