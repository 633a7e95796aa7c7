/**
 * `muster setup --https` and `muster setup --new-vapid`: changes to an existing configuration
 * (specification/command-line.md#setup).
 */
import { resolve } from 'node:path';
import { inMemory } from '#platform/store-places.ts';
import { svcCommand } from '#platform/svc-command.ts';
import { BrokerError } from '#protocol/errors.ts';
import { joinCommand, whereMusterIs } from '#protocol/join.ts';
import type { Env } from '#protocol/paths.ts';
import { vapidField } from '../broker/config/admit-config.ts';
import { type ConfigStore, openConfig } from '../broker/config/config-store.ts';
import { makeHttps } from '../broker/config/https-files.ts';
import { openKek } from '../broker/config/kek-file.ts';
import { renewalNotice } from '../broker/config/leaf-renewal.rules.ts';
import { mintVapidKeys } from '../broker/security/vapid.ts';
import { knownStores, presentConfig } from './broker-place.ts';
import { CommandFailure } from './command-failure.ts';
import { print, printJson, remark } from './output.ts';
import { UsageError } from './usage-error.ts';

const defaultHttpsPort = 8718;
const restart = 'Restart the broker to apply the change.';

async function openPresent(configPath: string, env: Env): Promise<ConfigStore> {
  const config = await openConfig({ path: configPath, kek: await openKek({ configPath, env }) });
  if (config.current === null)
    throw new CommandFailure(
      `there is no configuration at "${configPath}". Run "${svcCommand} setup" first.`,
    );
  return config;
}

/** The command writes the file itself, so a refusal is its own and not a broker's. */
async function written<T>(change: Promise<T>): Promise<T> {
  try {
    return await change;
  } catch (error) {
    if (error instanceof BrokerError) throw new CommandFailure(error.message);
    throw error;
  }
}

export interface ChangeValues {
  'config-path'?: string;
  'https-port'?: string;
  db?: string;
  json?: boolean;
}

/**
 * Creates certificates and turns HTTPS on. An existing key is kept, so that pinned clients continue to work.
 */
export async function turnHttpsOn(values: ChangeValues, env: Env): Promise<number> {
  const port = values['https-port'] ?? String(defaultHttpsPort);
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new UsageError('--https-port must be a number from 0 to 65535');
  const config = await openPresent(resolve(presentConfig(values, env)), env);
  const made = await written(makeHttps(config, Number(port), Date.now()));
  if (values.json) {
    printJson(made);
    return 0;
  }
  print(`Fingerprint:  ${made.fingerprint}${made.keptKey ? ' (unchanged)' : ''}`);
  print(`Authority:    ${made.authorityPath} (the certificate that browsers must trust)`);
  if (made.renewedAuthority !== undefined) remark(renewalNotice[made.renewedAuthority]);
  for (const url of made.urls) print(`To join:      ${joinCommand({ url, fingerprint: made.fingerprint })}`);
  remark(whereMusterIs);
  remark(restart);
  return 0;
}

/**
 * Creates a new VAPID key pair after the key-encryption key was lost. The broker ends the subscriptions of the
 * old one at its next start (specification/web-push.md#a-new-key).
 */
export async function renewVapid(values: ChangeValues, env: Env): Promise<number> {
  const config = await openPresent(resolve(presentConfig(values, env)), env);
  const { publicKey, privateKey } = mintVapidKeys();
  await written(
    config.update((current) => ({
      ...current,
      webPush: {
        ...current.webPush,
        vapidPublicKey: publicKey,
        vapidPrivateKey: config.seal(privateKey, vapidField),
      },
    })),
  );
  const members = await subscribedMembers(knownStores(config.path, values, env).main);
  if (values.json) printJson({ vapidPublicKey: publicKey, members });
  else {
    print(`VAPID public key: ${publicKey}`);
    remark(`${whoSubscribesAgain(members)} ${restart}`);
  }
  return 0;
}

/** Null if there is no store at that path, or if it cannot be read: the key has changed all the same. */
async function subscribedMembers(file: string | null): Promise<number | null> {
  if (file === null || file === inMemory) return null;
  const { countSubscribedMembers } = await import('../broker/storage/subscribed-members.ts');
  try {
    return countSubscribedMembers(file);
  } catch {
    return null;
  }
}

function whoSubscribesAgain(members: number | null): string {
  if (members === null)
    return 'Members who turned notifications on get them again once they open the console in the same browser. To count them, pass --db with the main store.';
  if (members === 0) return 'No member has turned notifications on.';
  return members === 1
    ? '1 member gets notifications again once it opens the console in the same browser.'
    : `${members} members get notifications again once they open the console in the same browser.`;
}
