/**
 * Restores a backup into an empty place, and says so only after everything was verified
 * (specification/backup.md#restore).
 */
import { type KeyObject, randomUUID } from 'node:crypto';
import { lstat, mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { codeOf, codeText } from '#platform/error-text.ts';
import {
  createPrivateFile,
  placeUnlessThere,
  replacePrivateFile,
  syncFolder,
} from '#platform/private-file.ts';
import { tlsFiles } from '../config/https-block.ts';
import { keyText } from '../config/kek-text.ts';
import {
  BackupError,
  type BackupManifest,
  configName,
  foreignCertificateName,
  foreignKeyName,
  overlayName,
  sealedKeyName,
  tlsFolder,
} from './backup-format.ts';
import { damagedBackup, openBackup } from './backup-source.ts';
import { type BrokerPlace, fromConfig, overlayPath, parseConfig } from './broker-files.ts';
import { type ReceivedBackup, receiveBackup } from './received-backup.ts';
import { beginNewLife, checkRestored } from './restored-stores.sqlite.ts';
import { SealedKey } from './sealed-key.ts';

export interface RestoreRequest {
  /** A tar file, or a folder of backups with the name of one of them; the newest by default. */
  source: string;
  snapshot: string | undefined;
  place: BrokerPlace;
  /** Replaces `files.root` of the configuration. */
  filesRoot: string | undefined;
  /** Called if the backup has the key. Null leaves the key out. @throws what stops the restore. */
  openKey: (sealed: SealedKey) => Promise<KeyObject | null>;
  now: number;
  onProgress: (text: string) => void;
}

export interface Restored {
  manifest: BackupManifest;
  /** Null without a `files` block. */
  filesRoot: string | null;
  hasKey: boolean;
  /** Contents that files refer to and that the backup does not have. */
  missing: number;
  /** Paths of certificates outside the configuration's folder, which were not written. */
  elsewhere: string[];
}

const kekPath = (configPath: string): string => `${configPath}.kek`;

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: unknown) => {
      if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return false;
      throw new BackupError(`"${path}" cannot be read (${codeText(error)}).`);
    },
  );
}

const occupied = (path: string): BackupError =>
  new BackupError(
    `"${path}" already exists, and a restore never overwrites. Move it away, or name another place.`,
  );

/** Everything that a broker in this place would own, except its key. */
const ownedBy = ({ configPath, mainPath, activityPath }: BrokerPlace): string[] => [
  configPath,
  overlayPath(configPath),
  tlsFiles(configPath).folder,
  ...[mainPath, activityPath].flatMap((path) => [path, `${path}-wal`, `${path}-shm`]),
];

async function refuseOccupied(paths: readonly string[]): Promise<void> {
  for (const path of paths) if (await isThere(path)) throw occupied(path);
}

/** An existing folder may stay if it is empty. */
async function refuseFilled(folder: string): Promise<void> {
  const names = (await isThere(folder)) ? await readdir(folder) : [];
  if (names.length > 0)
    throw new BackupError(
      `the folder "${folder}" for files is not empty, and a restore never overwrites. Move it away, or name another one with --files-root.`,
    );
}

/** @throws BackupError with one sentence; nothing of the restore is left then. */
export async function restoreBackup(request: RestoreRequest): Promise<Restored> {
  await refuseOccupied(ownedBy(request.place));
  await using undo = new AsyncDisposableStack();
  const restored = await stageAndPlace(request, undo).catch(explain);
  undo.move();
  return restored;
}

/** What the system refuses, as a sentence; everything else as it is. */
function explain(error: unknown): never {
  const code = codeOf(error);
  if (code === 'ENOSPC') throw new BackupError('there is not enough space. Nothing of the backup was kept.');
  if (code === undefined || !/^E[A-Z]+$/.test(code)) throw error;
  throw new BackupError(`the backup cannot be restored there (${codeText(error)}).`);
}

/** Without a code of the system, the archive ended where a file should be. */
function explainReading(error: unknown, source: string): never {
  if (error instanceof BackupError || /^E[A-Z]+$/.test(codeOf(error) ?? '')) throw error;
  throw damagedBackup(source);
}

/** Returns the configuration as it will be written, and where its files go. */
function targetOf(
  { place, filesRoot }: RestoreRequest,
  written: Buffer,
): { text: string; root: string | null } {
  const { configPath } = place;
  const config = parseConfig(written, 'in the backup');
  if (config.files === undefined) return { text: written.toString('utf8'), root: null };
  if (filesRoot === undefined)
    return { text: written.toString('utf8'), root: fromConfig(configPath, config.files.root) };
  const document = JSON.parse(written.toString('utf8'));
  document.files.root = filesRoot;
  return { text: `${JSON.stringify(document, null, 2)}\n`, root: fromConfig(configPath, filesRoot) };
}

async function stageAndPlace(request: RestoreRequest, undo: AsyncDisposableStack): Promise<Restored> {
  const { source, snapshot, place, openKey, now, onProgress } = request;
  // Unlike any other name, so that nothing of somebody else is taken for a leftover.
  const staged = `restore-${randomUUID()}`;
  const stores = { main: `${place.mainPath}.${staged}`, activity: `${place.activityPath}.${staged}` };
  const stage = (path: string) =>
    undo.defer(() => rm(path, { recursive: true, force: true }).catch(() => undefined));
  for (const path of [stores.main, stores.activity]) {
    stage(path);
    for (const beside of ['-wal', '-shm', '-journal']) stage(`${path}${beside}`);
  }
  let stagedBlobs: string | null = null;
  const received = await receiveBackup(
    await openBackup(source, snapshot),
    {
      ...stores,
      async blobs(config) {
        const { root } = targetOf(request, config);
        if (root === null) throw new BackupError('the backup has contents of files and no "files" block.');
        await refuseFilled(root);
        stagedBlobs = `${root}.${staged}`;
        stage(stagedBlobs);
        return stagedBlobs;
      },
    },
    onProgress,
  ).catch((error: unknown) => explainReading(error, source));
  onProgress('checking the stores');
  const { faults, missing } = checkRestored(stores, received.manifest);
  if (faults.length > 0)
    throw new BackupError(`the backup does not hold what it should: ${faults.join('; ')}.`);
  const sealed = received.smallFiles.get(sealedKeyName);
  const key = sealed === undefined ? null : await openKey(parseSealedKey(sealed, source));
  // The passphrase may have taken a while.
  await refuseOccupied(ownedBy(place));
  const storeId = beginNewLife(stores, received.manifest, now);
  const { text, root } = targetOf(request, received.smallFiles.get(configName) ?? Buffer.of());
  if (root !== null) await refuseFilled(root);
  const put = placer(undo);
  await put.moveFile(stores.main, place.mainPath);
  await put.moveFile(stores.activity, place.activityPath);
  if (root !== null && stagedBlobs !== null) {
    await replacePrivateFile(join(stagedBlobs, '.store'), `${storeId}\n`);
    if (await isThere(root)) await rmdir(root);
    await put.moveFolder(stagedBlobs, root);
  }
  const elsewhere = await placeSmallFiles(place.configPath, received, put.create);
  if (key !== null) await put.create(kekPath(place.configPath), `${keyText(key)}\n`);
  // Comes last: a broker that starts in between finds nothing to run.
  await put.create(place.configPath, text);
  return { manifest: received.manifest, filesRoot: root, hasKey: key !== null, missing, elsewhere };
}

function parseSealedKey(content: Buffer, source: string): SealedKey {
  try {
    return SealedKey.parse(JSON.parse(content.toString('utf8')));
  } catch {
    throw damagedBackup(source);
  }
}

function placer(undo: AsyncDisposableStack) {
  return {
    /** Another restore may have come first: what it placed stays. */
    async moveFile(from: string, to: string): Promise<void> {
      await mkdir(dirname(to), { recursive: true, mode: 0o700 });
      if (!(await placeUnlessThere(from, to))) throw occupied(to);
      undo.defer(() => rm(to, { force: true }));
      await rm(from, { force: true });
      await syncFolder(dirname(to));
    },
    /** A folder that is there and empty is replaced; the system refuses to replace any other. */
    async moveFolder(from: string, to: string): Promise<void> {
      await mkdir(dirname(to), { recursive: true, mode: 0o700 });
      await rename(from, to);
      undo.defer(() => rm(to, { recursive: true, force: true }));
      await syncFolder(dirname(to));
    },
    async create(path: string, content: string): Promise<void> {
      if (!(await createPrivateFile(path, content))) throw occupied(path);
      undo.defer(() => rm(path, { force: true }));
    },
  };
}

/** A backup may name any path, so nothing outside the configuration's folder is written. */
function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && !isAbsolute(way) && way.split(/[\\/]/)[0] !== '..';
}

/**
 * Certificates of the operator's own that are there already stay as they are. Returns the paths of those that
 * belong elsewhere, and were not written.
 */
async function placeSmallFiles(
  configPath: string,
  { smallFiles }: ReceivedBackup,
  create: (path: string, content: string) => Promise<void>,
): Promise<string[]> {
  const elsewhere: string[] = [];
  const { https } = parseConfig(smallFiles.get(configName) ?? Buffer.of(), 'in the backup');
  for (const [name, content] of smallFiles) {
    const text = content.toString('utf8');
    if (name === overlayName) await create(overlayPath(configPath), text);
    if (name.startsWith(tlsFolder))
      await create(join(tlsFiles(configPath).folder, name.slice(tlsFolder.length)), text);
    const written = { [foreignCertificateName]: https?.cert, [foreignKeyName]: https?.key }[name];
    const path = written === undefined ? null : fromConfig(configPath, written);
    if (path === null || (await isThere(path))) continue;
    if (isInside(dirname(configPath), path)) await create(path, text);
    else elsewhere.push(path);
  }
  return elsewhere;
}
