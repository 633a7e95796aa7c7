/** `muster restore`: a backup into an empty place (specification/backup.md#restore). */

import type { KeyObject } from 'node:crypto';
import { resolve } from 'node:path';
import { storesIn } from '#platform/store-places.ts';
import { counted } from '#protocol/counted.ts';
import type { Env } from '#protocol/paths.ts';
import { BackupError } from '../../broker/backup/backup-format.ts';
import { readConfigOf } from '../../broker/backup/backup-source.ts';
import type { BrokerPlace } from '../../broker/backup/broker-files.ts';
import { type Restored, restoreBackup } from '../../broker/backup/restore-backup.ts';
import { storesInPlace } from '../../broker/backup/restore-place.ts';
import { openSealedKey, type SealedKey } from '../../broker/backup/sealed-key.ts';
import {
  brokerPlace,
  configCandidates,
  configHere,
  namedStores,
  type PlaceValues,
  placeOptions,
  presentConfig,
  usualStores,
} from '../broker-place.ts';
import { CommandFailure } from '../command-failure.ts';
import { localTime } from '../message-line.ts';
import { print, printJson, remark } from '../output.ts';
import { readPassphrase } from '../passphrase.ts';
import { createProgress } from '../progress.ts';
import { oneLine } from '../terminal-text.ts';
import { UsageError } from '../usage-error.ts';
import { defineVerb } from '../verb.ts';

export const verb = defineVerb({
  usage: 'muster restore <file or folder> [options]',
  takesArguments: true,
  options: {
    at: {
      type: 'string',
      value: '<name>',
      help: 'of a folder: which backup, such as 20261122T143000Z (default: the newest)',
    },
    ...placeOptions,
    'files-root': {
      type: 'string',
      value: '<folder>',
      help: 'where contents of files go (default: as the backup says if that is below the place, else "files" beside the main store)',
    },
    'without-key': { type: 'boolean', help: 'leave out the key for secrets, if the passphrase is lost' },
    json: {
      type: 'boolean',
      help: 'print { configPath, filesRoot, createdAt, counts, audit, hasKey, missing, damaged?, elsewhere }',
    },
  },
  notes: [
    'Never overwrites: the places of the configuration, both stores, and the files must be empty. Everything is verified before the first of them is filled.',
    'Sessions end. Tokens are as they were at the time of the backup: revoke again what was revoked since.',
  ],
  async run({ values, positionals, env }) {
    const [source, ...more] = positionals;
    if (source === undefined || more.length > 0) throw new UsageError('name one file or folder');
    const failed = (error: unknown): never => {
      if (error instanceof BackupError) throw new CommandFailure(error.message);
      throw error;
    };
    const place = await restorePlace(values, env, resolve(source), values.at).catch(failed);
    const progress = createProgress({ hasLines: true });
    const openKey = (sealed: SealedKey): Promise<KeyObject> => {
      // A question stands in a line of its own.
      progress.end();
      return askForKey(sealed, env);
    };
    const restored = await restoreBackup({
      source: resolve(source),
      snapshot: values.at,
      place,
      filesRoot: values['files-root'],
      openKey: (sealed) => (values['without-key'] ? Promise.resolve(null) : openKey(sealed)),
      now: Date.now(),
      onProgress: progress.at,
    })
      .catch(failed)
      .finally(progress.end);
    report(restored, place.configPath, values.json ?? false);
    return restored.missing === 0 ? 0 : 1;
  },
});

/**
 * A configuration that names its stores relative to itself is restored into the current folder. Stores outside the
 * folder of the configuration are restored beside it, because a backup could name any path of the machine.
 */
async function restorePlace(
  values: PlaceValues,
  env: Env,
  source: string,
  snapshot: string | undefined,
): Promise<BrokerPlace> {
  const { main, activity } = namedStores('', values, env, { main: null, activity: null });
  const isNamed = main !== null && activity !== null && configCandidates(values, env).length === 1;
  if (isNamed) return brokerPlace(values, env);
  const config = (await readConfigOf(source, snapshot)) ?? '';
  const here = './svc.json';
  const named = storesInPlace(here, storesIn(here, config));
  const isHere = named.main !== null || named.activity !== null;
  const configPath = isHere ? configHere(values, env) : presentConfig(values, env);
  const written = storesIn(configPath, config);
  const isNaming = written.main !== null || written.activity !== null;
  const inPlace = storesInPlace(configPath, written);
  const usual = isNaming ? usualStores(configPath, env)[0] : undefined;
  return brokerPlace(values, env, configPath, {
    main: inPlace.main ?? usual?.main ?? null,
    activity: inPlace.activity ?? usual?.activity ?? null,
  });
}

async function askForKey(sealed: SealedKey, env: Env): Promise<KeyObject> {
  const passphrase = await readPassphrase(env, 'Passphrase of the key in the backup', {
    isNew: false,
    min: 0,
  });
  const key = await openSealedKey(sealed, passphrase);
  if (key === null)
    throw new CommandFailure(
      'the passphrase does not open the key of the backup. Try again, or leave the key out with --without-key.',
    );
  return key;
}

function report(
  { manifest, filesRoot, backupRoot, hasKey, missing, damaged, contents, elsewhere }: Restored,
  configPath: string,
  isJson: boolean,
): void {
  const { createdAt, counts, audit, team } = manifest;
  if (isJson) {
    const found = { configPath, filesRoot, createdAt, counts, audit, hasKey, missing, elsewhere };
    printJson(damaged.length === 0 ? found : { ...found, damaged });
    return;
  }
  const verified =
    missing === 0
      ? `${counted(contents, 'file content')}, all verified`
      : `${counted(contents, 'file content')} verified, ${missing} missing`;
  print(
    `restored "${oneLine(team)}" of ${localTime(createdAt)} to ${configPath}: ${counted(counts.message ?? 0, 'message')}, ${counted(counts.objective ?? 0, 'objective')}, ${verified}`,
  );
  if (filesRoot !== null) {
    const instead = filesRoot === backupRoot ? '' : ` (the backup says ${oneLine(backupRoot ?? '')})`;
    print(`contents of files: ${oneLine(filesRoot)}${instead}`);
  }
  if (audit.seq > 0) print(`audit log: up to record ${audit.seq} ${audit.hash}`);
  if (missing > 0)
    remark(
      `not in the backup${damaged.length === 0 ? '' : ', or damaged there'}: ${counted(missing, 'file content')}; everything else is restored, and "muster doctor --full" names the files`,
    );
  for (const path of damaged) remark(`damaged in the backup, and not restored: ${oneLine(path)}`);
  for (const path of elsewhere)
    remark(
      `"${oneLine(path)}" belongs outside this folder, or is not named like a certificate, and was not restored; put the file there`,
    );
  if (!hasKey)
    remark(
      `the key for secrets was not restored: put it at ${configPath}.kek, or enroll authenticators again and run "muster setup --new-vapid"`,
    );
  remark('tokens are as they were at the time of the backup; revoke again what was revoked since');
}
