/**
 * The address of the database that a team's machines share: from the environment, or as a person named it in the app
 * (specification/desktop.md#several-machines). The app seals it with the system's keychain, because it has a password.
 */
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { z } from 'zod';
import { replacePrivateFile } from '#platform/private-file.ts';
import type { Env } from '#protocol/paths.ts';
import {
  beginEmpty,
  type Keychain,
  type MachinePlaces,
  readKeyText,
  sealTeamKey,
} from '../../broker/create-broker.ts';
import { Refusal } from '../refusal.ts';

const DatabaseSettings = z.strictObject({
  url: z.string(),
  /** Of this machine, for people; null: the system's name. */
  name: z.string().nullable(),
  /** `host:port`, where other machines reach this one; null: the default. */
  address: z.string().nullable(),
});
export type DatabaseSettings = z.infer<typeof DatabaseSettings>;

export interface TeamDatabase {
  /** The source of the address; null if this machine is the only one. The environment has precedence. */
  readonly source: 'environment' | 'app' | null;
  /** The address; null if there is none, or as long as it was not read. */
  readonly url: string | null;
  /** The settings that the app keeps, once they were read. */
  readonly kept: DatabaseSettings | null;
  /** Why it cannot be named in the app; null if it can. */
  readonly obstacle: string | null;
  /** Reads what the app keeps. Returns its variables, none if it keeps nothing. @throws Error with the remedy. */
  machines(): Promise<Env>;
  /** Returns the variables for these settings, with the team's key. @throws StartUpError if the key cannot be read. */
  variablesFor(settings: DatabaseSettings): Promise<Env>;
  /** @throws Refusal without a keychain. */
  keep(settings: DatabaseSettings): Promise<void>;
  /**
   * Returns what makes this machine one of the team that has this key, and nothing else: call it when the broker has
   * stopped. @throws Refusal if the keychain does not keep the key.
   */
  prepareJoin(settings: DatabaseSettings, key: string): Promise<() => Promise<void>>;
  forget(): Promise<void>;
}

export interface TeamDatabaseDeps {
  path: string;
  places: MachinePlaces;
  env: Env;
  /** The keychain that can be used now; null without one. */
  keychain(): Keychain | null;
}

const noKeychain =
  'this system has no keychain that Muster can use, so it cannot keep the password of the database; set SVC_STANDBY_URL and SVC_KEK in the environment of the app instead';

const closed = (path: string): string =>
  `The address of the team’s database in "${path}" cannot be opened by this system’s keychain, and the file was left as it is. Unlock the keychain and start Muster again, or set SVC_STANDBY_URL and SVC_KEK in its environment.`;

export function createTeamDatabase({ path, places, env, keychain }: TeamDatabaseDeps): TeamDatabase {
  let kept: DatabaseSettings | null = null;
  const isKept = () => existsSync(path);

  async function read(): Promise<DatabaseSettings> {
    try {
      const opened = await keychain()?.unwrap(await readFile(path));
      return DatabaseSettings.parse(JSON.parse(opened?.text ?? ''));
    } catch {
      // The cause may quote the text that was read.
      throw new Error(closed(path));
    }
  }

  async function variablesFor({ url, name, address }: DatabaseSettings): Promise<Env> {
    return {
      SVC_STANDBY_URL: url,
      SVC_KEK: await readKeyText({ configPath: places.configPath, env, keychain: keychain() }),
      ...(name !== null && { SVC_BROKER_NAME: name }),
      ...(address !== null && { SVC_BROKER_ADDRESS: address }),
    };
  }

  async function keep(settings: DatabaseSettings): Promise<void> {
    const sealed = await keychain()?.wrap(JSON.stringify(settings));
    if (sealed === undefined) throw new Refusal('unavailable', noKeychain);
    await replacePrivateFile(path, sealed);
  }

  return {
    get source() {
      if (env.SVC_STANDBY_URL) return 'environment';
      return isKept() ? 'app' : null;
    },
    get url() {
      return env.SVC_STANDBY_URL || (kept?.url ?? null);
    },
    get kept() {
      return kept;
    },
    get obstacle() {
      if (env.SVC_STANDBY_URL)
        return 'the environment of the app names the database (SVC_STANDBY_URL); change it there';
      return keychain() === null ? noKeychain : null;
    },
    async machines() {
      if (env.SVC_STANDBY_URL || !isKept()) return {};
      kept = await read();
      return variablesFor(kept);
    },
    variablesFor,
    keep,
    async prepareJoin(settings, key) {
      const opened = keychain();
      const sealedKey = opened && (await sealTeamKey(key, opened));
      if (sealedKey === null) throw new Refusal('unavailable', noKeychain);
      return async () => {
        await beginEmpty(places, sealedKey);
        // The last step: until then, this machine is one without a team.
        await keep(settings);
      };
    },
    async forget() {
      await rm(path, { force: true });
      kept = null;
    },
  };
}
