/** The options of every client verb, and the connection that results from them. */
import type { Agent } from 'node:https';
import { createBearerCache } from '#client/bearer-cache.ts';
import { type Bearer, resolveAddress, resolveBearer } from '#client/credentials.ts';
import { createHttpClient, type HttpClient } from '#client/http-client.ts';
import { type BrokerClient, createClient } from '#protocol/client.ts';
import type { Env } from '#protocol/paths.ts';
import { furtherAddresses, learnAddresses } from './further-addresses.ts';
import { withNearestName } from './nearest-name.ts';
import { ownPaths } from './own-paths.ts';

/** The options of a verb whose `--json` is not the API's response. */
export const connectionOptions = {
  url: {
    type: 'string',
    value: '<url>',
    help: 'address of the broker (default: SVC_URL, the only saved address, or http://127.0.0.1:8717)',
  },
  token: { type: 'string', value: '<token>', help: 'bearer token (default: SVC_TOKEN, or the saved token)' },
  'insecure-http': {
    type: 'boolean',
    help: 'allow plain HTTP to another machine, which shows the token to the network (or SVC_INSECURE_HTTP=1)',
  },
} as const;

export const clientOptions = {
  ...connectionOptions,
  json: { type: 'boolean', help: 'print the API’s response as JSON' },
} as const;

export interface BrokerConnection {
  client: BrokerClient;
  http: HttpClient;
  url: string;
  bearer: Bearer;
}

/** Sends nothing yet. @throws ConnectionError if no address or no token can be found. */
export async function connectToBroker(
  values: { url?: string; token?: string; 'insecure-http'?: boolean },
  env: Env,
  options: { timeoutMs?: number; signal?: AbortSignal } = {},
): Promise<BrokerConnection> {
  const cache = createBearerCache({ path: ownPaths(env).authPath });
  const request = { ...values, env, cache };
  const { url } = await resolveAddress(request);
  const bearer = await resolveBearer(request, url);
  const fingerprint = await confirmedKey(url, env);
  const saved = { cache, url, fingerprint };
  const http = createHttpClient({
    url,
    token: bearer.token,
    ...options,
    agent: await agentFor(url, fingerprint),
    further: await furtherAddresses(bearer.addresses ?? [], saved),
    // The former addresses stay if that fails.
    ...(bearer.from === 'cache' && {
      onStream: (http) => void learnAddresses(http, saved).catch(() => undefined),
    }),
  });
  return { client: withNearestName(createClient(http.send)), http, url, bearer };
}

/**
 * A broker over HTTPS whose key was confirmed must show that key; any other is trusted as the system trusts
 * it.
 */
export const pinnedAgent = async (url: string, env: Env): Promise<Agent | undefined> =>
  agentFor(url, await confirmedKey(url, env));

/** Of a broker over HTTPS. */
export async function confirmedKey(url: string, env: Env): Promise<string | undefined> {
  if (!url.startsWith('https:')) return undefined;
  const { createPins } = await import('#client/pins.ts');
  return createPins({ path: ownPaths(env).pinsPath }).find(url);
}

export async function agentFor(url: string, fingerprint: string | undefined): Promise<Agent | undefined> {
  if (fingerprint === undefined) return undefined;
  const { createPinnedAgent } = await import('#client/pinned-agent.ts');
  return createPinnedAgent(url, fingerprint);
}
