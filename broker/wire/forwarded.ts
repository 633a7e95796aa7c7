/**
 * Connections that another machine of the team accepted and passed on: everything that asks for the addresses of such a
 * connection gets those of its client (docs/decisions/0069-every-machine-serves.md).
 */
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** The client that connected to the other machine, and the address of that machine at which it arrived. */
export interface Client {
  remoteAddress: string;
  remotePort: number;
  localAddress: string;
}

const links = new WeakMap<Duplex, { client: Client; peer: string }>();

/** Names a TCP connection: the same for it and for the TLS connections on it. */
export const peerOf = (socket: Socket): string => {
  const { remoteAddress, remotePort, localAddress, localPort } = socket;
  return links.get(socket)?.peer ?? `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
};

/** `isEncrypted`: whether the client speaks TLS on it. The connection between the machines always does. */
export function showClient(socket: Socket, client: Client, isEncrypted: boolean): void {
  links.set(socket, { client, peer: peerOf(socket) });
  const { remoteAddress, remotePort, localAddress } = client;
  const shown = { remoteAddress, remotePort, localAddress, encrypted: isEncrypted };
  for (const [name, value] of Object.entries(shown)) Object.defineProperty(socket, name, { value });
}

export const isForwarded = (socket: Duplex): boolean => links.has(socket);

/** A TLS connection of the client is there now. */
export function showClientOf(socket: Socket, carrier: Socket): void {
  const client = links.get(socket)?.client;
  if (client !== undefined) showClient(carrier, client, true);
}

/** Returns the address at which the client of a forwarded connection arrived, as a Host header names it; null for another. */
export function arrivalName(socket: Duplex): string | null {
  const address = links.get(socket)?.client.localAddress.replace(/^::ffff:(?=\d+\.)|%.*$/g, '');
  if (address === undefined) return null;
  return address.includes(':') ? `[${address}]` : address;
}
