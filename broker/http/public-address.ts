/** The one place that says under which scheme, host, and port the client reached the broker (docs/operations.md#behind-a-reverse-proxy). */
import type { FastifyRequest } from 'fastify';

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

/** Whether what the broker sends reaches the client encrypted, as far as the broker and a trusted proxy know. */
export const isSecure = ({ protocol }: FastifyRequest): boolean => protocol === 'https';
