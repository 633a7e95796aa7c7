/** Host names and addresses by which others may call this machine. */
import { hostname, type NetworkInterfaceInfo, networkInterfaces } from 'node:os';

export type Interfaces = Readonly<Record<string, NetworkInterfaceInfo[] | undefined>>;

export interface OwnNames {
  /** Of this machine on the network; link-local ones are left out, they do not work in a URL. */
  addresses: string[];
  /** Addresses, the `.local` name, and the configured ones. */
  network: string[];
  /** Those and the names of the machine for itself; what a certificate is made for. */
  all: string[];
}

/** This machine's own name without `.local`, which macOS puts behind it. */
export const ownHostName = (): string =>
  hostname()
    .toLowerCase()
    .replace(/\.local$/, '');

/** A certificate holds plain ASCII names and bare addresses; others would make the whole certificate impossible. */
const certifiable = (name: string): string[] => {
  const bare = name.replace(/^\[(.*)\]$/, '$1');
  return /^[a-z0-9._:-]+$/i.test(bare) ? [bare] : [];
};

/** `configured` are further names, of `listen.hosts`. */
export function ownNames(
  configured: readonly string[],
  interfaces: Interfaces = networkInterfaces(),
): OwnNames {
  const addresses = Object.values(interfaces)
    .flatMap((entries) => entries ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'))
    .map(({ address }) => address.replace(/%.*$/, ''));
  const [name = 'localhost'] = certifiable(ownHostName());
  const network = [...new Set([...addresses, `${name}.local`, ...configured.flatMap(certifiable)])];
  return { addresses, network, all: [...new Set([name, ...network, 'localhost', '127.0.0.1', '::1'])] };
}

/** As the host of a URL. */
export const urlHost = (name: string): string => (name.includes(':') ? `[${name}]` : name);
