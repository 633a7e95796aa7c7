/** The target of a backup: a folder that earlier backups share, or one tar file (specification/backup.md#contents). */
import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pack } from 'tar-stream';
import { codeText } from '#platform/error-text.ts';
import { makeFolders } from '#platform/make-folders.ts';
import { placeUnlessThere, replacePrivateFile, syncFolder } from '#platform/private-file.ts';
import {
  checkShared,
  isSnapshotName,
  isThere,
  isWhole,
  readManifest,
  type SharedContents,
  snapshotsIn,
} from './backup-folder.ts';
import {
  BackupError,
  type BackupManifest,
  type BackupStep,
  manifestName,
  refuseUnusable,
} from './backup-format.ts';
import { openWorkFolder, removeDeadWorkFolders } from './work-folder.sqlite.ts';

type Blob = BackupManifest['blobs'][number];

export interface BackupTarget {
  /** A private folder for files that are copied before they are added. */
  workFolder: string;
  /** Copies a file into the backup. Returns what arrived there. */
  addFile(name: string, path: string): Promise<{ bytes: number; sha256: string }>;
  /** Checks a part of what earlier backups have. Returns the contents that are damaged or missing. */
  checkShared(onProgress: (step: BackupStep) => void): Promise<readonly Blob[]>;
  /** Whether this content is there from an earlier backup, and not known to be damaged. */
  hasBlob(blob: Blob): Promise<boolean>;
  /** Makes the backup complete and durable. Returns its path. */
  finish(manifest: BackupManifest): Promise<string>;
  /** Removes what is not complete. */
  discard(): Promise<void>;
}

/** Passes bytes on and hashes them. */
function hashing(hash: Hash): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
}

/**
 * Creates a folder for backups, and none above it: where a disk is not mounted, a backup must not end on the disk
 * of the system. @throws BackupError if that is not possible.
 */
export async function usableFolder(folder: string): Promise<void> {
  const above = dirname(resolve(folder));
  if (!(await exists(above)))
    throw new BackupError(
      `the folder "${above}" does not exist. Mount its disk, create it, or name another place.`,
    );
  await makeFolders(folder).catch((error) => refuseUnusable(folder, error));
}

const exists = (path: string): Promise<boolean> =>
  isThere(path).catch((error) => refuseUnusable(dirname(path), error));

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** @throws BackupError if something exists at `path`. */
export async function tarTarget(path: string): Promise<BackupTarget> {
  if (await exists(path)) throw new BackupError(`"${path}" already exists. Name another file.`);
  await usableFolder(dirname(path));
  await removeDeadWorkFolders(dirname(path));
  const work = await openWorkFolder(path, 'partial').catch((error) => refuseUnusable(dirname(path), error));
  const workFolder = work.path;
  const partial = join(workFolder, 'backup.tar');
  const archive = pack();
  const written = pipeline(archive, createWriteStream(partial, { mode: 0o600 }));
  // It is awaited at the end; until then, a failure must not end the process.
  written.catch(() => undefined);

  async function add(name: string, bytes: number, source: () => NodeJS.ReadableStream): Promise<string> {
    const hash = createHash('sha256');
    const entry = archive.entry({ name, size: bytes, mode: 0o600 });
    await Promise.race([
      pipeline(source(), hashing(hash), entry as unknown as NodeJS.WritableStream),
      written.then(() => Promise.reject(new Error('the archive ended early'))),
    ]);
    return hash.digest('hex');
  }

  return {
    workFolder,
    async addFile(name, from) {
      const { size } = await stat(from);
      return { bytes: size, sha256: await add(name, size, () => createReadStream(from)) };
    },
    checkShared: async () => [],
    hasBlob: async () => false,
    async finish(manifest) {
      const text = JSON.stringify(manifest);
      archive.entry({ name: manifestName, mode: 0o600 }, text);
      archive.finalize();
      await written;
      await sync(partial);
      if (!(await placeUnlessThere(partial, path)))
        throw new BackupError(`"${path}" appeared in the meantime. Name another file.`);
      await syncFolder(dirname(path));
      await work.remove();
      return path;
    },
    async discard() {
      archive.destroy();
      await written.catch(() => undefined);
      await work.remove();
    },
  };
}

/** Removes the backups that have no manifest. */
async function removeCutOff(folder: string): Promise<void> {
  const complete = await snapshotsIn(folder);
  for (const name of await readdir(folder))
    if (isSnapshotName(name) && !complete.includes(name))
      await rm(join(folder, name), { recursive: true, force: true });
}

/** `20261122T143000Z`, with a number behind it if there is one already. */
async function freeName(folder: string, at: number): Promise<string> {
  const stamp = new Date(at).toISOString().replaceAll(/[-:]|\.\d+Z/g, '');
  for (let n = 1; ; n++) {
    const name = n === 1 ? `${stamp}Z` : `${stamp}Z-${n}`;
    if (!(await exists(join(folder, name)))) return name;
  }
}

/**
 * One backup of several in `folder`, which share their contents of files. `keep`: how many stay. The caller holds
 * the lock of the folder, so what is not complete there is of a run that died.
 */
export async function folderTarget(folder: string, at: number, keep: number): Promise<BackupTarget> {
  await removeCutOff(folder).catch((error) => refuseUnusable(folder, error));
  const snapshot = join(folder, await freeName(folder, at));
  await mkdir(snapshot, { mode: 0o700 });
  const workFolder = join(snapshot, 'work');
  let isFinished = false;
  let shared: SharedContents = { known: new Set(), damaged: [] };
  const damaged = new Set<string>();
  await mkdir(workFolder, { mode: 0o700 });

  return {
    workFolder,
    async addFile(name, from) {
      const isBlob = name.startsWith('blobs/');
      const to = join(isBlob ? folder : snapshot, name);
      const partial = `${to}.${basename(snapshot)}.tmp`;
      await mkdir(dirname(to), { recursive: true, mode: 0o700 });
      const hash = createHash('sha256');
      const source = createReadStream(from);
      if (dirname(from) === workFolder) {
        for await (const chunk of source) hash.update(chunk as Buffer);
        await rename(from, partial);
      } else await pipeline(source, hashing(hash), createWriteStream(partial, { mode: 0o600 }));
      await sync(partial);
      const { size } = await stat(partial);
      const sha256 = hash.digest('hex');
      // A content that is damaged at its source must not replace a good one.
      if (isBlob && basename(to) !== sha256) await rm(partial);
      else await rename(partial, to);
      return { bytes: size, sha256 };
    },
    async checkShared(onProgress) {
      shared = await checkShared(folder, at, onProgress);
      for (const { hash } of shared.damaged) damaged.add(hash);
      return shared.damaged;
    },
    // A killed backup may have left a content that no backup has.
    hasBlob: async (blob) =>
      !damaged.has(blob.hash) && (await isWhole(folder, blob, !shared.known.has(blob.hash))),
    async finish(manifest) {
      await rm(workFolder, { recursive: true });
      await replacePrivateFile(join(snapshot, manifestName), JSON.stringify(manifest));
      await syncFolder(folder);
      isFinished = true;
      await forget(folder, keep, basename(snapshot)).catch((error: unknown) => {
        throw new BackupError(
          `the backup "${snapshot}" was made, but older ones could not be removed (${codeText(error)}).`,
        );
      });
      return snapshot;
    },
    async discard() {
      if (!isFinished) await rm(snapshot, { recursive: true, force: true });
    },
  };
}

/**
 * Removes the oldest backups beyond `keep`, those that were cut off, and contents that none of the others has.
 * `made` stays in any case. If the manifest of a backup cannot be read, it is not known which contents it needs, so
 * none is removed. The caller holds the lock of the folder.
 */
async function forget(folder: string, keep: number, made: string): Promise<void> {
  const names = (await readdir(folder)).filter(isSnapshotName);
  const complete = await snapshotsIn(folder);
  const manifestByName = new Map<string, BackupManifest | null>();
  for (const name of complete) manifestByName.set(name, await readManifest(folder, name));
  const createdAt = (name: string): number => manifestByName.get(name)?.createdAt ?? 0;
  const others = complete.filter((name) => name !== made).sort((a, b) => createdAt(b) - createdAt(a));
  const kept = [made, ...others.slice(0, keep - 1)];
  for (const name of names.filter((one) => !kept.includes(one)))
    await rm(join(folder, name), { recursive: true });
  const manifests = kept.map((name) => manifestByName.get(name) ?? null);
  if (manifests.includes(null)) return;
  const needed = new Set(manifests.flatMap((manifest) => manifest?.blobs ?? []).map(({ hash }) => hash));
  const blobs = join(folder, 'blobs');
  for (const prefix of await readdir(blobs).catch(() => []))
    for (const name of await readdir(join(blobs, prefix)))
      if (isOver(name, needed)) await rm(join(blobs, prefix, name));
}

/** A content that no backup needs, or a part of one that a killed backup left. */
const isOver = (name: string, needed: ReadonlySet<string>): boolean =>
  /^[0-9a-f]{64}$/.test(name) ? !needed.has(name) : /^[0-9a-f]{64}\.[\dTZ-]+\.tmp$/.test(name);
