/**
 * TLS between the machines of a team, with a key that is derived from the team's key: neither the database nor the network
 * can name an impostor, and no certificate is needed. Each connection has a key of its own, which nobody can derive later.
 */
import { hkdfSync, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import type { ConnectionOptions, TlsOptions } from 'node:tls';
import type { Client } from '../wire/forwarded.ts';

const identity = 'muster';
/** Only with TLS 1.3, a key that was agreed beforehand always goes with a fresh one. The digest is that of the key. */
const version = {
  minVersion: 'TLSv1.3',
  maxVersion: 'TLSv1.3',
  ciphers: 'TLS_AES_128_GCM_SHA256',
  // HTTP closes one direction before the other.
  allowHalfOpen: true,
} as const;

const pskOf = (kek: KeyObject): Buffer =>
  Buffer.from(hkdfSync('sha256', kek, '', 'muster between machines', 32));

export function serverTls(kek: KeyObject): TlsOptions {
  const psk = pskOf(kek);
  return { ...version, pskCallback: (_socket, named) => (named === identity ? psk : null) };
}

export function clientTls(kek: KeyObject): ConnectionOptions {
  const psk = pskOf(kek);
  return {
    ...version,
    pskCallback: () => ({ psk, identity }),
    // Called only for a server that shows a certificate instead of the key, whoever signed it.
    checkServerIdentity: () => new Error('the machine does not have the key of the team'),
  };
}

/** The listener of the active broker for which a connection is meant. */
export type Entrance = 'plain' | 'https';

export interface Hello {
  to: Entrance;
  client: Client;
}

/** The answer of the active broker when it takes a connection. */
export const taken = Buffer.of(1);
export const maxHelloBytes = 512;
/** From the first packet until `taken`. */
export const helloMs = 3000;

export const helloLine = (hello: Hello): string => `${JSON.stringify(hello)}\n`;

const isPort = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) > 0 && Number(value) <= 65_535;
const isAddress = (value: unknown): value is string => typeof value === 'string' && isIP(value) !== 0;

/** Returns null for anything but one whole line of this kind. */
export function parseHello(line: string): Hello | null {
  try {
    const { to, client } = JSON.parse(line);
    if (to !== 'plain' && to !== 'https') return null;
    const { remoteAddress, remotePort, localAddress } = client;
    if (!isAddress(remoteAddress) || !isPort(remotePort) || !isAddress(localAddress)) return null;
    return { to, client: { remoteAddress, remotePort, localAddress } };
  } catch {
    return null;
  }
}
