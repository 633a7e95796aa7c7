/** `muster backup --verify`: whether all backups of a folder are as they were made (specification/backup.md#verifying). */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeText } from '#platform/error-text.ts';
import { hashOf, isSnapshotName, readManifest } from './backup-folder.ts';
import {
  activityStoreName,
  type BackupManifest,
  type BackupStep,
  blobName,
  configName,
  mainStoreName,
  manifestHash,
  manifestName,
} from './backup-format.ts';

export interface VerifiedBackup {
  name: string;
  /** Null if the manifest cannot be read. */
  createdAt: number | null;
  /** A sentence per file that is missing, damaged, or cannot be read. */
  faults: string[];
}

export interface VerifiedFolder {
  /** The number of contents that the backups share. */
  contents: number;
  /** Oldest first. */
  backups: VerifiedBackup[];
}

/** Null if the file has this hash. */
async function faultOf(folder: string, name: string, hash: string): Promise<string | null> {
  try {
    return (await hashOf(join(folder, name))) === hash ? null : `"${name}" is damaged`;
  } catch (error) {
    const code = codeText(error);
    return `"${name}" ${code === 'ENOENT' ? 'is missing' : `cannot be read (${code})`}`;
  }
}

/** The manifest can be read. */
async function isManifestWhole(folder: string, name: string): Promise<boolean> {
  const { sha256, ...rest } = JSON.parse(await readFile(join(folder, name, manifestName), 'utf8'));
  return sha256 === undefined || sha256 === manifestHash(rest);
}

/** Reads every backup, and each content once. @throws the system's error if the folder cannot be listed. */
export async function verifyBackups(
  folder: string,
  onProgress: (step: BackupStep) => void,
): Promise<VerifiedFolder> {
  const faultByHash = new Map<string, string | null>();
  const faultOfBlob = async (hash: string): Promise<string | null> => {
    const known = faultByHash.get(hash);
    if (known !== undefined) return known;
    const fault = await faultOf(folder, blobName(hash), hash);
    faultByHash.set(hash, fault);
    onProgress({ what: 'checked', unit: 'files', done: faultByHash.size, total: null });
    return fault;
  };

  async function faultsOf(name: string, { files, blobs }: BackupManifest): Promise<string[]> {
    const faults: (string | null)[] = [
      (await isManifestWhole(folder, name)) ? null : `"${manifestName}" is damaged`,
    ];
    for (const required of [mainStoreName, activityStoreName, configName])
      if (!files.some((file) => file.name === required)) faults.push(`"${required}" is missing`);
    for (const file of files) faults.push(await faultOf(join(folder, name), file.name, file.sha256));
    for (const { hash } of blobs) faults.push(await faultOfBlob(hash));
    return faults.filter((fault) => fault !== null);
  }

  const backups: VerifiedBackup[] = [];
  for (const name of (await readdir(folder)).filter(isSnapshotName).sort()) {
    const manifest = await readManifest(folder, name);
    const createdAt = manifest?.createdAt ?? null;
    const faults =
      manifest === null ? ['its manifest is missing or cannot be read'] : await faultsOf(name, manifest);
    backups.push({ name, createdAt, faults });
  }
  return { contents: faultByHash.size, backups };
}
