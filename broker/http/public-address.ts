/** The one place that says under which scheme, host, and port the client reached the broker (docs/guides/operations.md#behind-a-reverse-proxy). */
import type { FastifyRequest } from 'fastify';
import type { CookiePlace } from '../security/session-cookie.ts';

const defaultPorts = { http: 80, https: 443 };

export interface PublicAddress {
  scheme: 'http' | 'https';
  /** With the port, if the client named one; null if the request names no host, which the guard refuses. */
  host: string | null;
}

/**
 * Returns the scheme of the connection and its Host header. From an address in `listen.trustedProxies`, `X-Forwarded-Proto` and
 * `X-Forwarded-Host` replace them; from any other address, they count for nothing.
 */
export const publicAddress = ({ protocol, host, headers }: FastifyRequest): PublicAddress => ({
  scheme: protocol === 'https' ? 'https' : 'http',
  host: host === '' && headers.host === undefined ? null : host,
});

/** Returns the public scheme and port; without a port in the host, the default one of the scheme. */
export function publicPlace(request: FastifyRequest): CookiePlace {
  const { scheme, host } = publicAddress(request);
  const port = /:(\d{1,5})$/.exec(host ?? '')?.[1];
  return { scheme, port: port === undefined ? defaultPorts[scheme] : Number(port) };
}

/** The address of the client, as a person writes it: a socket that serves both versions names IPv4 as mapped IPv6. */
export const sourceAddress = ({ ip }: FastifyRequest): string =>
  ip.startsWith('::ffff:') ? ip.replace(/^::ffff:(?=\d+\.)/, '') : ip;
