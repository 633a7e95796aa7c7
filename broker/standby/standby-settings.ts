/** The settings of standing by, from the environment (docs/specification/standby.md#settings). */
import type { KeyObject } from 'node:crypto';
import { hostname } from 'node:os';
import { inMemory } from '#platform/store-places.ts';
import { isLoopback } from '#protocol/loopback.ts';
import { parseKey } from '../config/kek-text.ts';
import { StartUpError } from '../runtime/start-up-error.ts';
import { hostAndPort } from './host-and-port.ts';

export interface StandbySettings {
  /** Of the database. */
  url: string;
  /** Of this broker, for people. */
  name: string;
  kek: KeyObject;
  /** Names the place of the key, for people. */
  keyPlace: string;
  /** The address at which other machines reach this broker when it is active; null: the one from which it reaches the database. */
  address: { host: string; port: number } | null;
}

const secureModes = ['require', 'verify-ca', 'verify-full'];

/** Null: this broker is the only one. @throws StartUpError (78) for settings that cannot keep the promise. */
export function standbySettings(
  env: Readonly<Record<string, string | undefined>>,
  stores: readonly string[],
  keyPlace = 'SVC_KEK',
): StandbySettings | null {
  const url = env.SVC_STANDBY_URL;
  if (!url) return null;
  const fault = urlFault(url);
  if (fault !== null) throw new StartUpError(`SVC_STANDBY_URL ${fault}`);
  const kek = parseKey(env.SVC_KEK ?? '');
  if (kek === null)
    throw new StartUpError(
      'SVC_STANDBY_URL needs SVC_KEK, the same on each machine: the 44 characters in the key file of the team (svc.json.kek), or of its exported recovery key',
    );
  if (stores.includes(inMemory))
    throw new StartUpError(
      'SVC_STANDBY_URL needs both stores in files; name them with --db and --activity-db, or in "stores" of the configuration',
    );
  const name = env.SVC_BROKER_NAME || hostname();
  return { url, name, kek, keyPlace, address: addressIn(env.SVC_BROKER_ADDRESS) };
}

function addressIn(text: string | undefined): StandbySettings['address'] {
  if (!text) return null;
  const address = hostAndPort(text);
  if (address !== null) return address;
  throw new StartUpError(
    `SVC_BROKER_ADDRESS is "${text}"; it must be a host and a port, such as 10.0.0.1:8720 or [fd00::1]:8720`,
  );
}

/** Returns what is wrong with the address of a database, as the end of a sentence; null if nothing is. */
export function urlFault(text: string): string | null {
  const url = URL.parse(text);
  if (url === null || !['postgres:', 'postgresql:'].includes(url.protocol))
    return 'must be an address such as postgres://user@host:5432/muster';
  const last = (name: string): string => url.searchParams.getAll(name).at(-1) ?? '';
  const host = last('host') || url.hostname;
  const isHere = host === '' || host.startsWith('/') || isLoopback(host);
  if (isHere || last('sslmode') === 'verify-full') return null;
  if (!secureModes.includes(last('sslmode')))
    return 'names a database on another machine, and the connection to it would not be encrypted; add sslmode=verify-full to it';
  // Then, the client of the database accepts certificates of others in every other mode.
  if (last('uselibpqcompat') !== 'true') return null;
  return 'names a database on another machine, and somebody between them could pose as it with another certificate; write sslmode=verify-full instead of uselibpqcompat=true';
}
