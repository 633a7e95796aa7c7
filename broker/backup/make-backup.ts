/** Makes a backup of a broker from its files, whether it runs or not (specification/backup.md). */
import type { KeyObject } from 'node:crypto';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '#platform/error-text.ts';
import { isPassiveCopy } from '../standby/kept-position.ts';
import {
  activityStoreName,
  BackupError,
  type BackupManifest,
  type BackupStep,
  blobName,
  configName,
  isFull,
  mainStoreName,
  manifestHash,
  notEnoughSpace,
  sealedKeyName,
} from './backup-format.ts';
import type { BackupTarget } from './backup-target.ts';
import { areSame, type BrokerPlace, parseConfig, readSmallFiles, refuseMissing } from './broker-files.ts';
import { type KeptContents, withContents } from './kept-contents.ts';
import { sealKey } from './sealed-key.ts';
import { takeSnapshot } from './snapshot.sqlite.ts';

export interface BackupRequest {
  place: BrokerPlace;
  target: BackupTarget;
  /** The key for secrets and the passphrase that encrypts it; null leaves the key out. */
  key: { key: KeyObject; passphrase: string } | null;
  version: string;
  now: number;
  /** Called with what is being done. */
  onProgress: (step: BackupStep) => void;
}

export interface MadeBackup {
  path: string;
  manifest: BackupManifest;
  /** Contents that were copied now, and those that an earlier backup has. */
  copied: number;
  reused: number;
  /** Contents that are missing from the folder of files, or damaged there. They are not in the backup. */
  damaged: string[];
  /** The number of contents that the backup has only from an earlier one. They cannot be read in the folder of files. */
  absent: number;
  /** Damaged contents of earlier backups that were replaced, and the hashes of those that could not be. */
  mended: number;
  lost: string[];
}

/** @throws BackupError with one sentence; what is incomplete is removed. */
export async function makeBackup(request: BackupRequest): Promise<MadeBackup> {
  const { place, target } = request;
  try {
    await refuseMissing(place);
    refuseCopies(place);
    const config = parseConfig(
      (await readSmallFiles(place.configPath)).get(configName) ?? Buffer.of(),
      place.configPath,
    );
    return await withContents(place.configPath, config.files?.root, (contents) =>
      copyEverything(request, contents, config.team.name),
    );
  } catch (error) {
    await target.discard();
    if (error instanceof BackupError) throw error;
    if (isFull(error)) throw notEnoughSpace();
    const code = codeOf(error) ?? '';
    if (!code.startsWith('SQLITE_')) throw error;
    throw new BackupError(`the stores cannot be copied (${code}). "muster doctor --full" checks them.`);
  }
}

/** @throws BackupError if another broker may be writing the stores. */
function refuseCopies({ mainPath, activityPath }: BrokerPlace): void {
  const copy = [mainPath, activityPath].find(isPassiveCopy);
  if (copy !== undefined)
    throw new BackupError(
      `"${copy}" is one of the copies of machines that stand by for each other, and no active broker uses it on this machine. Make the backup on the active machine, which "muster standby" names, or start the broker first.`,
    );
}

async function copyEverything(
  { place, target, key, version, now, onProgress }: BackupRequest,
  contents: KeptContents,
  team: string,
): Promise<MadeBackup> {
  let small = await readSmallFiles(place.configPath);
  const work = (name: string): string => join(target.workFolder, name);
  const { storeId, counts, blobs, audit } = await takeSnapshot({
    main: { from: place.mainPath, to: work(mainStoreName) },
    activity: { from: place.activityPath, to: work(activityStoreName) },
    async isFitting() {
      const before = small;
      small = await readSmallFiles(place.configPath);
      return areSame(before, small);
    },
    onProgress: (done, total) => onProgress({ what: 'stores', unit: 'bytes', done, total }),
  });
  // Another machine may have taken over meanwhile.
  refuseCopies(place);
  for (const name of [mainStoreName, activityStoreName]) await chmod(work(name), 0o600);
  const files: BackupManifest['files'] = [];
  const add = async (name: string, path: string): Promise<void> =>
    void files.push({ name, ...(await target.addFile(name, path)) });
  const addContent = async (name: string, content: string | Uint8Array): Promise<void> => {
    const path = work('content');
    await writeFile(path, content, { mode: 0o600 });
    await add(name, path);
  };
  await add(mainStoreName, work(mainStoreName));
  await add(activityStoreName, work(activityStoreName));
  for (const [name, content] of small) await addContent(name, content);
  if (key !== null) await addContent(sealedKeyName, JSON.stringify(await sealKey(key.key, key.passphrase)));
  const broken = await target.checkShared(onProgress);
  const kept: BackupManifest['blobs'] = [];
  const damaged: string[] = [];
  let reused = 0;
  let absent = 0;
  for (const [index, blob] of blobs.entries()) {
    onProgress({ what: 'files', unit: 'files', done: index, total: blobs.length });
    if (await target.hasBlob(blob)) {
      reused += 1;
      if (!(await contents.has(blob))) absent += 1;
    } else if (!(await copyBlob(target, contents, blob))) {
      damaged.push(blob.hash);
      continue;
    }
    kept.push(blob);
  }
  const lost: string[] = [];
  const whole = new Set(kept.map(({ hash }) => hash));
  for (const blob of broken)
    if (!whole.has(blob.hash) && !(await copyBlob(target, contents, blob))) lost.push(blob.hash);
  const facts = {
    format: 1,
    createdAt: now,
    version,
    team,
    storeId,
    files,
    blobs: kept,
    counts,
    audit,
  } as const;
  const manifest: BackupManifest = { ...facts, sha256: manifestHash(facts) };
  const path = await target.finish(manifest);
  const mended = broken.length - lost.length;
  return { path, manifest, copied: kept.length - reused, reused, damaged, absent, mended, lost };
}

type Blob = BackupManifest['blobs'][number];

/** False if the content is not there as it should be. */
async function copyBlob(target: BackupTarget, contents: KeptContents, blob: Blob): Promise<boolean> {
  const path = await contents.fileOf(blob, join(target.workFolder, 'content'));
  if (path === null) return false;
  const { sha256 } = await target.addFile(blobName(blob.hash), path);
  return sha256 === blob.hash;
}
