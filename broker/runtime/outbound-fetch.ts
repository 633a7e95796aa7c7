/**
 * Every request that the broker itself makes goes through here: https only, public addresses only, the
 * address pinned, no redirects, limited in time and size. Hosts named by `outbound.allowHosts` are exempt
 * from the first two (specification/platform.md#outbound-requests).
 */
import { lookup as dnsLookup } from 'node:dns';
import type { RequestOptions } from 'node:http';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from '../security/public-address.ts';
import { Gathering } from './gathering.ts';

export interface OutboundRequest {
  /** For traces. */
  purpose: 'web_push' | 'platform_keys' | 'platform_connect';
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: Buffer;
  /** The whole exchange must end within this time. */
  timeoutMs: number;
  /** A larger reply fails. */
  maxBytes: number;
  signal?: AbortSignal;
}

export interface OutboundReply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/**
 * Why an exchange has no reply. `refused`: the guard did not allow it, and another attempt changes nothing.
 */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly refused: boolean;
  constructor(message: string, refused: boolean) {
    super(message);
    this.refused = refused;
  }
}

export interface Outbound {
  /**
   * Returns part of a sentence that says why the URL as written is not acceptable; null if it is. Names are
   * resolved only when sending.
   */
  faultOf(url: string): string | null;
  /** Never follows a redirect, which is a reply like any other. @throws OutboundError. */
  send(url: string, request: OutboundRequest): Promise<OutboundReply>;
}

export type Resolve = (name: string) => Promise<{ address: string; family: number }[]>;

export interface OutboundDeps {
  /** `outbound.allowHosts`: host names or addresses, with or without a port. */
  allowHosts: () => readonly string[];
  resolve?: Resolve;
}

const localNames = /(?:^|\.)(?:localhost|local|internal|localdomain|home\.arpa)\.?$/;

const systemResolve: Resolve = (name) =>
  new Promise((resolve, reject) => {
    dnsLookup(name, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });

const withoutBrackets = (host: string): string => host.replace(/^\[|\]$/g, '');

export function createOutbound({ allowHosts, resolve = systemResolve }: OutboundDeps): Outbound {
  function isAllowed(url: URL): boolean {
    const names = [url.host, url.hostname, withoutBrackets(url.hostname)];
    return allowHosts().some((host) => names.includes(host.toLowerCase()));
  }

  function check(written: string): { url: URL; allowed: boolean } | { fault: string } {
    const url = URL.parse(written);
    if (url === null || !/^https?:$/.test(url.protocol)) return { fault: 'must be an https URL' };
    if (url.username !== '' || url.password !== '')
      return { fault: 'must not carry a user name or password' };
    const allowed = isAllowed(url);
    if (allowed) return { url, allowed };
    if (url.protocol !== 'https:') return { fault: 'must be an https URL' };
    const host = withoutBrackets(url.hostname);
    if (isIP(host) === 0 ? localNames.test(host) : !isPublicAddress(host)) {
      return {
        fault: 'must not point to a private, loopback or link-local host; outbound.allowHosts can permit it',
      };
    }
    return { url, allowed };
  }

  /** The only resolution of an exchange: the socket connects to the address that is checked here. */
  function pinnedLookup(allowed: boolean): LookupFunction {
    return (name, options, callback) => {
      resolve(name).then(
        (addresses) => {
          const [first] = addresses;
          if (
            first === undefined ||
            (!allowed && !addresses.every(({ address }) => isPublicAddress(address)))
          ) {
            callback(new OutboundError('the host resolves to an address that is not public', true), []);
          } else if (options.all === true) callback(null, addresses);
          else callback(null, first.address, first.family);
        },
        () => callback(new OutboundError('the host name cannot be resolved', false), []),
      );
    };
  }

  return {
    faultOf(written) {
      const checked = check(written);
      return 'fault' in checked ? checked.fault : null;
    },
    send(written, { method = 'GET', headers = {}, body, timeoutMs, maxBytes, signal }) {
      const checked = check(written);
      if ('fault' in checked) return Promise.reject(new OutboundError(`the URL ${checked.fault}`, true));
      const { url, allowed } = checked;
      const deadline = AbortSignal.timeout(timeoutMs);
      const options: RequestOptions = {
        method,
        headers: body === undefined ? headers : { ...headers, 'content-length': String(body.length) },
        agent: false,
        lookup: pinnedLookup(allowed),
        signal: signal === undefined ? deadline : AbortSignal.any([deadline, signal]),
      };
      return new Promise((resolve, reject) => {
        const fail = (error: Error): void =>
          reject(
            error instanceof OutboundError
              ? error
              : new OutboundError(deadline.aborted ? 'no reply in time' : 'the connection failed', false),
          );
        // Not imported by name: ADR 0013.
        const { request } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
        const exchange = request(url, options, (reply) => {
          const gathering = new Gathering();
          reply.on('data', (chunk: Buffer) => {
            gathering.add(chunk);
            if (gathering.length <= maxBytes) return;
            fail(new OutboundError('the reply is too large', false));
            exchange.destroy();
          });
          reply.on('error', fail);
          reply.on('end', () =>
            resolve({
              status: reply.statusCode ?? 0,
              headers: reply.headers,
              body: Buffer.concat(gathering.take()),
            }),
          );
        });
        exchange.on('error', fail);
        // After a reply, or without one: a status of 101 ends the connection without an error.
        exchange.on('close', () => fail(new OutboundError('the connection failed', false)));
        exchange.end(body);
      });
    },
  };
}
