/** `muster backup`: one file, or a folder of backups that share contents (specification/backup.md#making-one). */

import type { KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { codeOf } from '#platform/error-text.ts';
import { LockHeldError, withFileLock } from '#platform/file-lock.ts';
import { counted } from '#protocol/counted.ts';
import type { Env } from '#protocol/paths.ts';
import { snapshotsIn } from '../../broker/backup/backup-folder.ts';
import { BackupError, isFull, notEnoughSpace, refuseUnusable } from '../../broker/backup/backup-format.ts';
import {
  type BackupTarget,
  folderTarget,
  tarTarget,
  usableFolder,
} from '../../broker/backup/backup-target.ts';
import { type MadeBackup, makeBackup } from '../../broker/backup/make-backup.ts';
import { minPassphrase } from '../../broker/backup/sealed-key.ts';
import { verifyBackups } from '../../broker/backup/verify-backups.ts';
import { openKek } from '../../broker/config/kek-file.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { brokerPlace, placeOptions } from '../broker-place.ts';
import { CommandFailure } from '../command-failure.ts';
import { sizeText } from '../files/size-text.rules.ts';
import { print, printJson, remark } from '../output.ts';
import { readPassphrase } from '../passphrase.ts';
import { createProgress } from '../progress.ts';
import { oneLine } from '../terminal-text.ts';
import { UsageError } from '../usage-error.ts';
import { defineVerb } from '../verb.ts';

const defaultKept = 14;
const maxKept = 1000;

export const verb = defineVerb({
  usage: 'muster backup <file> | --to <folder> | --verify <folder> [options]',
  takesArguments: true,
  options: {
    to: {
      type: 'string',
      value: '<folder>',
      help: 'add a backup to this folder; what an earlier one in it has is not copied again',
    },
    verify: {
      type: 'string',
      value: '<folder>',
      help: 'read all backups in this folder, say what is damaged in each, and make none',
    },
    keep: {
      type: 'string',
      value: '<n>',
      help: `with --to: how many backups stay, 1 to ${maxKept} (default: ${defaultKept})`,
    },
    'with-key': {
      type: 'boolean',
      help: 'include the key for secrets, encrypted with a passphrase (SVC_BACKUP_PASSPHRASE, or a question)',
    },
    ...placeOptions,
    json: {
      type: 'boolean',
      help: 'print { path, createdAt, bytes, files, reused, counts, audit, damaged, absent?, mended?, lost? }, or with --verify { folder, contents, backups }',
    },
  },
  notes: [
    'The broker may be running. The backup is the state of one moment: configuration, certificates, both stores, and the contents of files.',
    'It holds the messages of all members. Without the key, authenticators and the key for push messages must be set up again after a restore.',
  ],
  async run({ values, positionals, env }) {
    const [file, ...more] = positionals;
    const { to, verify } = values;
    if (verify !== undefined) {
      const { verify: _, json: __, ...others } = values;
      if (file !== undefined || Object.values(others).some((value) => value !== undefined))
        throw new UsageError('--verify takes its folder alone, without a file or another option than --json');
      return verifyFolder(resolve(verify), values.json ?? false);
    }
    if (more.length > 0 || (file === undefined) === (to === undefined))
      throw new UsageError('name one file, or a folder with --to or --verify');
    if (values.keep !== undefined && to === undefined) throw new UsageError('--keep needs --to');
    const keep = keptOf(values.keep);
    const place = brokerPlace(values, env);
    const key = values['with-key'] ? await keyOf(place.configPath, env) : null;
    const now = Date.now();
    const progress = createProgress({ hasLines: true });
    const make = (target: BackupTarget) =>
      makeBackup({ place, target, key, version: packageJson.version, now, onProgress: progress.at });
    const made = await failing(async () => {
      if (to === undefined) return make(await tarTarget(resolve(file ?? '')));
      await usableFolder(resolve(to));
      return withFileLock(join(to, '.lock'), async () => make(await folderTarget(resolve(to), now, keep)));
    }).finally(progress.end);
    report(made, values.json ?? false);
    return made.damaged.length + made.absent + made.mended + made.lost.length === 0 ? 0 : 1;
  },
});

/** Holds the lock of the folder, because a backup would remove what is read. Returns the exit code. */
async function verifyFolder(folder: string, isJson: boolean): Promise<number> {
  const progress = createProgress({ hasLines: true });
  const { contents, backups } = await failing(async () => {
    const names = await snapshotsIn(folder).catch((error) => refuseUnusable(folder, error));
    if (names.length === 0) throw new BackupError(`there is no complete backup in "${folder}".`);
    return withFileLock(join(folder, '.lock'), () => verifyBackups(folder, progress.at)).catch((error) => {
      // Nobody else writes to a disk that is read-only.
      if (codeOf(error) === 'EROFS') return verifyBackups(folder, progress.at);
      throw error;
    });
  }).finally(progress.end);
  if (isJson) printJson({ folder, contents, backups });
  else {
    for (const { name, faults } of backups) {
      print(`${name}: ${faults.length === 0 ? 'whole' : 'damaged'}`);
      for (const fault of faults) print(`  ${oneLine(fault)}`);
    }
    print(`read: ${counted(backups.length, 'backup')}, ${counted(contents, 'shared file content')}`);
  }
  return backups.every(({ faults }) => faults.length === 0) ? 0 : 1;
}

function keptOf(written: string | undefined): number {
  if (written === undefined) return defaultKept;
  if (/^\d{1,4}$/.test(written) && Number(written) >= 1 && Number(written) <= maxKept) return Number(written);
  throw new UsageError(`--keep must be a number from 1 to ${maxKept}`);
}

/** Reads the key without creating one. */
async function keyOf(configPath: string, env: Env): Promise<{ key: KeyObject; passphrase: string }> {
  if (env.SVC_KEK === undefined && !existsSync(`${configPath}.kek`) && !existsSync(`${configPath}.kek.safe`))
    throw new CommandFailure(
      `there is no key file "${configPath}.kek"; run the command with the variables of the broker’s service if they have SVC_KEK, or leave out --with-key`,
    );
  const { key } = await openKek({ configPath, env });
  const passphrase = await readPassphrase(env, 'Passphrase for the key in the backup', {
    isNew: true,
    min: minPassphrase,
  });
  return { key, passphrase };
}

async function failing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BackupError || error instanceof LockHeldError)
      throw new CommandFailure(error.message);
    if (isFull(error)) throw new CommandFailure(notEnoughSpace().message);
    throw error;
  }
}

function report(made: MadeBackup, isJson: boolean): void {
  const { path, manifest, copied, reused, damaged, absent, mended, lost } = made;
  const { createdAt, files, blobs, counts, audit } = manifest;
  const bytes = [...files, ...blobs].reduce((sum, one) => sum + one.bytes, 0);
  if (isJson) {
    const found = { path, createdAt, bytes, files: copied + reused, reused, counts, audit, damaged };
    printJson({
      ...found,
      ...(absent > 0 && { absent }),
      ...(mended > 0 && { mended }),
      ...(lost.length > 0 && { lost }),
    });
    return;
  }
  const rows = `${counted(counts.message ?? 0, 'message')}, ${counted(counts.objective ?? 0, 'objective')}, ${counted(counts.activity ?? 0, 'activity row')}`;
  const contents = `${counted(copied + reused, 'file content')}${reused === 0 ? '' : ` (${reused} already there)`}`;
  print(`backed up to ${path}: ${rows}, ${contents}, ${sizeText(bytes)}`);
  if (damaged.length > 0)
    remark(
      `missing or damaged, and so not in the backup: ${counted(damaged.length, 'file content')}; "muster doctor --full" names the files`,
    );
  if (absent > 0)
    remark(
      `unreadable in the folder of files, and taken from an earlier backup: ${counted(absent, 'file content')}; "muster doctor --full" names the files`,
    );
  const check = `check its disk, and read all of it with "muster backup --verify"`;
  if (mended > 0)
    remark(
      `damaged in the folder of backups, and replaced from the folder of files: ${counted(mended, 'file content')}; ${check}`,
    );
  if (lost.length > 0)
    remark(
      `damaged in the folder of backups, and not in the folder of files: ${counted(lost.length, 'file content')}; ${check}`,
    );
}
