/** Writes a first configuration for the command: `muster setup` and the demo. */
import { lstat } from 'node:fs/promises';
import type { z } from 'zod';
import { isMountedFile, mountFolderInstead } from '#platform/mounted-file.ts';
import type { StoresBlock } from '#platform/store-places.ts';
import { svcCommand } from '#platform/svc-command.ts';
import { BrokerError } from '#protocol/errors.ts';
import type { Teammate } from '#protocol/member.ts';
import type { Env } from '#protocol/paths.ts';
import { SetupRequest } from '#protocol/setup.ts';
import { openConfig } from '../broker/config/config-store.ts';
import { firstConfig } from '../broker/config/first-config.ts';
import { openKek } from '../broker/config/kek-file.ts';
import type { SvcConfig } from '../broker/config/svc-config.ts';
import { CommandFailure } from './command-failure.ts';

export interface WrittenSetup {
  configPath: string;
  /** Null if the key came from SVC_KEK. */
  kekPath: string | null;
  member: Teammate;
  token: string;
  totpUri: string | null;
}

/** @throws CommandFailure if anything exists at `configPath`. */
export async function refuseToOverwrite(configPath: string): Promise<void> {
  const there = await lstat(configPath).then(
    () => true,
    () => false,
  );
  if (there && isMountedFile(configPath))
    throw new CommandFailure(
      `"${configPath}" is mounted as a single file, so it cannot be replaced and was not changed. ${mountFolderInstead(configPath)}`,
    );
  if (there)
    throw new CommandFailure(
      `"${configPath}" already exists and was not changed. Start the broker with "${svcCommand} serve", or pass another file with --config-path.`,
    );
}

export interface FirstConfigRequest {
  configPath: string;
  env: Env;
  /** As written in the file: relative to its folder, or absolute. */
  filesRoot: string;
  stores: StoresBlock;
  request: z.input<typeof SetupRequest> | { team: unknown; admin: unknown; totp: boolean };
  /** A last change before it is written. */
  complete?: (config: SvcConfig) => SvcConfig;
}

/**
 * @throws CommandFailure if a configuration appeared in the meantime or cannot be written; StartUpError for
 *   the key.
 */
export async function writeFirstConfig(options: FirstConfigRequest): Promise<WrittenSetup> {
  const { configPath, env, filesRoot, stores, complete = (config) => config } = options;
  const request = SetupRequest.parse(options.request);
  const kek = await openKek({ configPath, env });
  const store = await openConfig({ path: configPath, kek });
  const first = firstConfig(request, { filesRoot, stores, seal: store.seal });
  try {
    const config = await store.create(complete(first.config));
    const member = config.store.members.find(({ name }) => name === request.admin.name);
    if (member === undefined) throw new Error('the first member is missing from its own configuration');
    const { name, role, permissions } = member;
    return {
      configPath,
      kekPath: kek.path,
      member: { name, role, permissions },
      token: first.token,
      totpUri: first.totpUri,
    };
  } catch (error) {
    if (error instanceof BrokerError) throw new CommandFailure(error.message);
    throw error;
  }
}
