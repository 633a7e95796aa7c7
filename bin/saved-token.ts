/** Saving a token for the following commands, after the broker has said whose it is. */
import { createBearerCache } from '#client/bearer-cache.ts';
import { checkedToken, refusePlainHttp, resolveAddress } from '#client/credentials.ts';
import { createHttpClient } from '#client/http-client.ts';
import { createClient } from '#protocol/client.ts';
import type { Env } from '#protocol/paths.ts';
import { pinnedAgent } from './broker-connection.ts';
import { print, printJson } from './output.ts';
import { ownPaths } from './own-paths.ts';
import { oneLine } from './terminal-text.ts';

export interface SaveValues {
  url?: string;
  'insecure-http'?: boolean;
  json?: boolean;
}

export const bearerCache = (env: Env) => createBearerCache({ path: ownPaths(env).authPath });

/** @throws ConnectionError, BrokerError; nothing is saved then. */
export async function saveToken(token: string, values: SaveValues, env: Env): Promise<void> {
  const cache = bearerCache(env);
  const { url } = await resolveAddress({ ...values, env, cache });
  refusePlainHttp({ ...values, env }, url);
  const http = createHttpClient({
    url,
    token: checkedToken(token, 'the input'),
    agent: await pinnedAgent(url, env),
  });
  const { member, role } = await createClient(http.send).call('session', {});
  await cache.save(url, token);
  if (values.json) printJson({ url, member });
  else print(`Saved the token of ${oneLine(member)} (${oneLine(role.title)}) for ${url} in ${cache.path}.`);
}
