/** A one-time link into the console (specification/authentication.md#login-links). */
import type { BrokerClient } from '#protocol/client.ts';

/** `url`: the broker's address, as it was given. */
export async function consoleLink(
  client: BrokerClient,
  url: string,
): Promise<{ url: string; expiresAt: number }> {
  const { code, expiresAt } = await client.call('createConsoleLink', {});
  return { url: `${url.replace(/\/+$/, '')}/app#login=${code}`, expiresAt };
}
