/**
 * Restores a backup into an empty place, and says so only after everything was verified
 * (specification/backup.md#restore).
 */
import type { KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { codeOf } from '#platform/error-text.ts';
import { replacePrivateFile } from '#platform/private-file.ts';
import { storesBlock, storesIn } from '#platform/store-places.ts';
import { tlsFiles } from '../config/https-block.ts';
import { keyText } from '../config/kek-text.ts';
import { filesRootOf, isBucket } from '../storage/blobs/bucket-address.ts';
import {
  activityStoreName,
  BackupError,
  type BackupManifest,
  type BackupStep,
  configName,
  foreignCertificateName,
  foreignKeyName,
  isFull,
  mainStoreName,
  notEnoughSpace,
  overlayName,
  sealedKeyName,
  tlsFolder,
} from './backup-format.ts';
import { damagedBackup, openBackup } from './backup-source.ts';
import { type BrokerPlace, fromConfig, overlayPath, parseConfig } from './broker-files.ts';
import { createPlacing, isThere, type Placing, refuseFilled, refuseOccupied } from './placed-files.ts';
import { type ReceivedBackup, receiveBackup } from './received-backup.ts';
import { asWritten, filesFolder, isCertificatePlace } from './restore-place.ts';
import { beginNewLife, checkRestored } from './restored-stores.sqlite.ts';
import { SealedKey } from './sealed-key.ts';

export interface RestoreRequest {
  /** A tar file, or a folder of backups with the name of one of them; the newest by default. */
  source: string;
  snapshot: string | undefined;
  place: BrokerPlace;
  /** Replaces `files.root` of the configuration. By default, that stays if it is below the place. */
  filesRoot: string | undefined;
  /** Called if the backup has the key. Null leaves the key out. @throws what stops the restore. */
  openKey: (sealed: SealedKey) => Promise<KeyObject | null>;
  now: number;
  onProgress: (step: BackupStep) => void;
}

export interface Restored {
  manifest: BackupManifest;
  /** The place of the contents of files, and the one that the backup names; null without a `files` block. */
  filesRoot: string | null;
  backupRoot: string | null;
  hasKey: boolean;
  /** The number of contents that were restored. */
  contents: number;
  /** The number of contents that files refer to and that were not restored. */
  missing: number;
  /** Paths of the files whose contents are damaged or missing although the backup should have them. */
  damaged: string[];
  /** Paths of certificates that a backup must not write. */
  elsewhere: string[];
}

const kekPath = (configPath: string): string => `${configPath}.kek`;

/** Everything that a broker in this place would own, except its key. */
const ownedBy = ({ configPath, mainPath, activityPath }: BrokerPlace): string[] => [
  configPath,
  overlayPath(configPath),
  tlsFiles(configPath).folder,
  ...[mainPath, activityPath].flatMap((path) => [path, `${path}-wal`, `${path}-shm`]),
];

/** @throws BackupError with one sentence; nothing of the restore is left then. */
export async function restoreBackup(request: RestoreRequest): Promise<Restored> {
  await refuseOccupied(ownedBy(request.place));
  await using placing = createPlacing();
  const restored = await stageAndPlace(request, placing).catch(explain);
  placing.keep();
  return restored;
}

/** Throws a BackupError with a sentence for an error of the system, and any other error as it is. */
function explain(error: unknown): never {
  const code = codeOf(error);
  if (isFull(error)) throw notEnoughSpace();
  if (code === undefined || !/^E[A-Z]+$/.test(code)) throw error;
  throw new BackupError(`the backup cannot be restored there (${code}).`);
}

/** Without a code of the system, the archive ended where a file should be. */
function explainReading(error: unknown, source: string): never {
  if (error instanceof BackupError || /^E[A-Z]+$/.test(codeOf(error) ?? '')) throw error;
  throw damagedBackup(source);
}

interface Target {
  /** The configuration as it will be written. */
  text: string;
  root: string | null;
  backupRoot: string | null;
}

/** Returns the text with the stores where they are restored, if it names any. */
function withStores({ configPath, mainPath, activityPath }: BrokerPlace, text: string): string {
  const named = storesIn(configPath, text);
  if (named.main === null && named.activity === null) return text;
  if (named.main === mainPath && named.activity === activityPath) return text;
  const document = JSON.parse(text);
  const stores = storesBlock(configPath, { main: mainPath, activity: activityPath });
  document.stores = { ...document.stores, ...stores };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function targetOf({ place, filesRoot }: RestoreRequest, written: Buffer): Target {
  const { configPath } = place;
  const config = parseConfig(written, 'in the backup');
  const text = withStores(place, written.toString('utf8'));
  if (config.files === undefined) return { text, root: null, backupRoot: null };
  const backupRoot = filesRootOf(configPath, config.files.root);
  const root = filesRoot === undefined ? filesFolder(place, backupRoot) : fromConfig(configPath, filesRoot);
  if (root === backupRoot) return { text, root, backupRoot };
  const document = JSON.parse(text);
  document.files.root = filesRoot ?? asWritten(configPath, root);
  return { text: `${JSON.stringify(document, null, 2)}\n`, root, backupRoot };
}

async function stageAndPlace(request: RestoreRequest, placing: Placing): Promise<Restored> {
  const { source, snapshot, place, filesRoot, openKey, now, onProgress } = request;
  const { configPath, mainPath, activityPath } = place;
  await placing.makeFolderOf(configPath);
  const stores = {
    main: join(await placing.stageBeside(mainPath), mainStoreName),
    activity: join(await placing.stageBeside(activityPath), activityStoreName),
  };
  let stagedBlobs: string | null = null;
  const stageBlobs = async (root: string): Promise<string> => {
    await refuseFilled(root);
    stagedBlobs ??= join(await placing.stageBeside(root), 'files');
    return stagedBlobs;
  };
  if (filesRoot !== undefined && isBucket(filesRoot))
    throw new BackupError(
      'a restore puts contents of files into a folder. Name one, copy it to the bucket, and then name the bucket in files.root.',
    );
  // A folder that cannot be used is refused before the backup is read.
  if (filesRoot !== undefined) await stageBlobs(fromConfig(configPath, filesRoot));
  const received = await receiveBackup(
    await openBackup(source, snapshot),
    {
      ...stores,
      async blobs(config) {
        const { root } = targetOf(request, config);
        if (root === null) throw new BackupError('the backup has contents of files and no "files" block.');
        return stageBlobs(root);
      },
    },
    onProgress,
  ).catch((error: unknown) => explainReading(error, source));
  onProgress({ what: 'checked', unit: 'stores', done: 0, total: 2 });
  const { faults, missing, damaged } = checkRestored(stores, received.manifest, received.blobs);
  if (faults.length > 0)
    throw new BackupError(`the backup does not hold what it should: ${faults.join('; ')}.`);
  const sealed = received.smallFiles.get(sealedKeyName);
  const key = sealed === undefined ? null : await openKey(parseSealedKey(sealed, source));
  // The passphrase may have taken a while.
  await refuseOccupied(ownedBy(place));
  const storeId = beginNewLife(stores, received.manifest, now);
  const { text, root, backupRoot } = targetOf(request, received.smallFiles.get(configName) ?? Buffer.of());
  const blobs = root === null ? null : await stageBlobs(root);
  await placing.moveFile(stores.main, mainPath);
  await placing.moveFile(stores.activity, activityPath);
  if (root !== null && blobs !== null && received.blobs.size > 0) {
    await replacePrivateFile(join(blobs, '.store'), `${storeId}\n`);
    await placing.moveFolder(blobs, root);
  }
  const elsewhere = await placeSmallFiles(configPath, received, placing);
  if (key !== null) await placing.create(kekPath(configPath), `${keyText(key)}\n`);
  // Comes last: a broker that starts in between finds nothing to run.
  await placing.create(configPath, text);
  return {
    manifest: received.manifest,
    filesRoot: root,
    backupRoot,
    hasKey: key !== null,
    missing,
    damaged,
    contents: received.blobs.size,
    elsewhere,
  };
}

function parseSealedKey(content: Buffer, source: string): SealedKey {
  try {
    return SealedKey.parse(JSON.parse(content.toString('utf8')));
  } catch {
    throw damagedBackup(source);
  }
}

/**
 * Certificates of the operator's own that are there already stay as they are. Returns the paths of those that
 * a backup must not write, and were not written.
 */
async function placeSmallFiles(
  configPath: string,
  { smallFiles }: ReceivedBackup,
  placing: Pick<Placing, 'create'>,
): Promise<string[]> {
  const elsewhere: string[] = [];
  const { https } = parseConfig(smallFiles.get(configName) ?? Buffer.of(), 'in the backup');
  for (const [name, content] of smallFiles) {
    const text = content.toString('utf8');
    if (name === overlayName) await placing.create(overlayPath(configPath), text);
    if (name.startsWith(tlsFolder))
      await placing.create(join(tlsFiles(configPath).folder, name.slice(tlsFolder.length)), text);
    const written = { [foreignCertificateName]: https?.cert, [foreignKeyName]: https?.key }[name];
    const path = written === undefined ? null : fromConfig(configPath, written);
    if (path === null || (await isThere(path))) continue;
    if (isCertificatePlace(configPath, path)) await placing.create(path, text);
    else elsewhere.push(path);
  }
  return elsewhere;
}
