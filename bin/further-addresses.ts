/** The further addresses of a saved connection (specification/configuration.md#bearer-cache). */
import type { Address } from '#client/address-turns.ts';
import type { BearerCache } from '#client/bearer-cache.ts';
import type { HttpClient } from '#client/http-client.ts';
import { fieldsOf } from '#client/untrusted-json.ts';
import { createClient } from '#protocol/client.ts';
import { isFurtherAddress, maxAddresses } from '#protocol/further-address.ts';

export interface SavedConnection {
  cache: BearerCache;
  /** The address that a person gave. */
  url: string;
  /** The confirmed key of the broker. Without one, no further address is trusted. */
  fingerprint: string | undefined;
}

/** Leaves out what is not an address; each of the others has to show the confirmed key before anything is sent to it. */
export async function furtherAddresses(
  addresses: readonly string[],
  { url, fingerprint }: Pick<SavedConnection, 'url' | 'fingerprint'>,
): Promise<Address[]> {
  const { origin } = new URL(url);
  const further = [...new Set(addresses)].filter((one) => one !== origin && isFurtherAddress(one));
  if (fingerprint === undefined || further.length === 0) return [];
  const { createPinnedAgent } = await import('#client/pinned-agent.ts');
  return further
    .slice(0, maxAddresses)
    .map((one) => ({ url: one, agent: createPinnedAgent(one, fingerprint) }));
}

/**
 * Asks the broker for its addresses, saves the ones with the confirmed key, and lets `http` use them.
 * @throws BrokerError, ConnectionError; the former addresses stay then.
 */
export async function learnAddresses(http: HttpClient, connection: SavedConnection): Promise<void> {
  const { cache, url, fingerprint } = connection;
  if (fingerprint === undefined) return;
  const { addresses } = fieldsOf(await createClient(http.send).call('addresses', {}));
  const named = Array.isArray(addresses) ? addresses.map(fieldsOf) : [];
  const further = await furtherAddresses(
    named.flatMap((one) => (one.fingerprint === fingerprint && typeof one.url === 'string' ? [one.url] : [])),
    connection,
  );
  http.replaceFurther(further);
  const urls = further.map((one) => one.url);
  const saved = (await cache.find(url))?.addresses ?? [];
  if (saved.join(' ') !== urls.join(' ')) await cache.keepAddresses(url, urls);
}
