/**
 * `svc setup --https` and `svc setup --new-vapid`: changes to an existing configuration
 * (specification/command-line.md#setup).
 */
import { resolve } from 'node:path';
import { svcCommand } from '#platform/svc-command.ts';
import { joinCommand, whereSvcIs } from '#protocol/join.ts';
import { type Env, servePaths } from '#protocol/paths.ts';
import { vapidField } from '../broker/config/admit-config.ts';
import { type ConfigStore, openConfig } from '../broker/config/config-store.ts';
import { makeHttps } from '../broker/config/https-files.ts';
import { openKek } from '../broker/config/kek-file.ts';
import { renewalNotice } from '../broker/config/leaf-renewal.rules.ts';
import { mintVapidKeys } from '../broker/security/vapid.ts';
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

export interface ChangeValues {
  'config-path'?: string;
  'https-port'?: string;
  json?: boolean;
}

/**
 * Creates certificates and turns HTTPS on. An existing key is kept, so that pinned clients continue to work.
 */
export async function turnHttpsOn(values: ChangeValues, env: Env): Promise<number> {
  const written = values['https-port'] ?? String(defaultHttpsPort);
  if (!/^\d{1,5}$/.test(written) || Number(written) > 65_535)
    throw new UsageError('--https-port must be a number from 0 to 65535');
  const config = await openPresent(resolve(values['config-path'] || servePaths(env).configPath), env);
  const made = await makeHttps(config, Number(written), Date.now());
  if (values.json) {
    printJson(made);
    return 0;
  }
  print(`Fingerprint:  ${made.fingerprint}${made.keptKey ? ' (unchanged)' : ''}`);
  print(`Authority:    ${made.authorityPath} (the certificate that browsers must trust)`);
  if (made.renewedAuthority !== undefined) remark(renewalNotice[made.renewedAuthority]);
  for (const url of made.urls) print(`To join:      ${joinCommand({ url, fingerprint: made.fingerprint })}`);
  remark(whereSvcIs);
  remark(restart);
  return 0;
}

/**
 * Creates a new VAPID key pair after the key-encryption key was lost. Browsers subscribe again by themselves
 * when they are opened next.
 */
export async function renewVapid(values: ChangeValues, env: Env): Promise<number> {
  const config = await openPresent(resolve(values['config-path'] || servePaths(env).configPath), env);
  const { publicKey, privateKey } = mintVapidKeys();
  await config.update((current) => ({
    ...current,
    webPush: {
      ...current.webPush,
      vapidPublicKey: publicKey,
      vapidPrivateKey: config.seal(privateKey, vapidField),
    },
  }));
  if (values.json) printJson({ vapidPublicKey: publicKey });
  else {
    print(`VAPID public key: ${publicKey}`);
    remark(`Browsers must subscribe again. ${restart}`);
  }
  return 0;
}
