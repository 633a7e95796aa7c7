/**
 * TLS between the machines of a team, with a key that is derived from the team's key: neither the database nor the network
 * can name an impostor, and no certificate is needed. Each connection has a key of its own, which nobody can derive later.
 */
import { hkdfSync, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import process from 'node:process';
import type { ConnectionOptions, TlsOptions } from 'node:tls';
import type { Client } from '../wire/forwarded.ts';

const identity = 'muster';

/** BoringSSL, with which the desktop app is built, has no key that was agreed beforehand in TLS 1.3. */
const isWithoutTls13 = process.versions.electron !== undefined;

/** With each of these, a key that was agreed beforehand goes with a fresh one. The digest of the first is that of the key. */
const [tls13Cipher, tls12Cipher] = ['TLS_AES_128_GCM_SHA256', 'ECDHE-PSK-CHACHA20-POLY1305'];

const versionsOf = (isOld: boolean) =>
  ({
    minVersion: 'TLSv1.2',
    maxVersion: isOld ? 'TLSv1.2' : 'TLSv1.3',
    ciphers: isOld ? tls12Cipher : `${tls13Cipher}:${tls12Cipher}`,
    // HTTP closes one direction before the other.
    allowHalfOpen: true,
  }) as const;

const pskOf = (kek: KeyObject): Buffer =>
  Buffer.from(hkdfSync('sha256', kek, '', 'muster between machines', 32));

/** `isOld`: without TLS 1.3. */
export function serverTls(kek: KeyObject, isOld = isWithoutTls13): TlsOptions {
  const psk = pskOf(kek);
  return { ...versionsOf(isOld), pskCallback: (_socket, named) => (named === identity ? psk : null) };
}

export function clientTls(kek: KeyObject, isOld = isWithoutTls13): ConnectionOptions {
  const psk = pskOf(kek);
  return {
    ...versionsOf(isOld),
    pskCallback: () => ({ psk, identity }),
    // It does not matter who signed the certificate. There is none if the server has the key.
    checkServerIdentity: (_name, certificate) =>
      Object.keys(certificate).length === 0
        ? undefined
        : new Error('the machine does not have the key of the team'),
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
