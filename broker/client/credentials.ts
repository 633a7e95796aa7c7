/** The choice of the broker, and of the member's credential for it (specification/authentication.md#planes). */

import { svcCommand } from '#platform/svc-command.ts';
import { isLoopback } from '#protocol/loopback.ts';
import type { Env } from '#protocol/paths.ts';
import type { BearerCache } from './bearer-cache.ts';
import { ConnectionError } from './connection-error.ts';

export const defaultUrl = 'http://127.0.0.1:8717';

export interface CredentialRequest {
  /** The `--url` option. */
  url?: string | undefined;
  /** The `--token` option. */
  token?: string | undefined;
  /** Allows plain HTTP to another machine, as `SVC_INSECURE_HTTP=1` does. */
  'insecure-http'?: boolean | undefined;
  env: Env;
  cache: BearerCache;
}

export interface Address {
  /** Exactly as it was given, because it is also the key of the cache. */
  url: string;
  from: '--url' | 'SVC_URL' | 'cache' | 'default';
}

export interface Bearer {
  token: string;
  from: '--token' | 'SVC_TOKEN' | 'cache';
  /** Further addresses that are saved beside the token. */
  addresses?: readonly string[] | undefined;
}

/**
 * `--url`, then SVC_URL, then the only cached one, then the default. @throws ConnectionError `address` or
 * `cache`.
 */
export async function resolveAddress(request: CredentialRequest): Promise<Address> {
  if (request.url !== undefined) return { url: checkedUrl(request.url, '--url'), from: '--url' };
  if (request.env.SVC_URL) return { url: checkedUrl(request.env.SVC_URL, 'SVC_URL'), from: 'SVC_URL' };
  const [only, ...others] = await request.cache.entries();
  if (only !== undefined && others.length === 0)
    return { url: checkedUrl(only.url, request.cache.path), from: 'cache' };
  return { url: defaultUrl, from: 'default' };
}

/**
 * Refuses an address to which a token would travel in plain text through a network
 * (specification/command-line.md#conventions). @throws ConnectionError `address`.
 */
export function refusePlainHttp(
  { env, ...request }: Pick<CredentialRequest, 'insecure-http' | 'env'>,
  url: string,
): void {
  const { protocol, hostname } = new URL(url);
  const isAccepted = request['insecure-http'] === true || env.SVC_INSECURE_HTTP === '1';
  if (protocol === 'https:' || isLoopback(hostname) || isAccepted) return;
  throw new ConnectionError(
    'address',
    `${url} is plain HTTP to another machine, so the network could read your token`,
    'pass the https address of the broker, or --insecure-http to accept this',
  );
}

/**
 * `--token`, then SVC_TOKEN, then the cache. @throws ConnectionError `address` for plain HTTP to another
 * machine, `token` if there is none, or `cache`.
 */
export async function resolveBearer(request: CredentialRequest, url: string): Promise<Bearer> {
  refusePlainHttp(request, url);
  if (request.token !== undefined) return { token: checkedToken(request.token, '--token'), from: '--token' };
  if (request.env.SVC_TOKEN)
    return { token: checkedToken(request.env.SVC_TOKEN, 'SVC_TOKEN'), from: 'SVC_TOKEN' };
  const entries = await request.cache.entries();
  const entry = entries.find((one) => one.url === url);
  if (entry !== undefined) {
    const { addresses } = entry;
    return { token: checkedToken(entry.token, request.cache.path), from: 'cache', addresses };
  }
  const known = entries.map((one) => one.url).join(', ');
  const remedy =
    known === ''
      ? `run "${svcCommand} connect" to get one, or pass --token or set SVC_TOKEN`
      : `pass --url with one of the saved addresses (${known}), or pass --token`;
  throw new ConnectionError('token', `there is no token for ${url}`, remedy);
}

function checkedUrl(url: string, from: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const plain = parsed && !parsed.username && !parsed.password && !parsed.search && !parsed.hash;
  if (plain && (parsed.protocol === 'http:' || parsed.protocol === 'https:')) return url;
  throw new ConnectionError(
    'address',
    `the address from ${from} is not the address of a broker`,
    `write it like ${defaultUrl}`,
  );
}

/**
 * A token with a line break or a space would appear in an error text of the platform, so it is caught here
 * and not repeated.
 */
export function checkedToken(token: string, from: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new ConnectionError(
    'token',
    `the token from ${from} is not valid`,
    'copy it again without spaces or line breaks',
  );
}
