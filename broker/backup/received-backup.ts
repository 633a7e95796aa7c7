/** Receives the files of a backup beside their places, and compares each with the manifest. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  activityStoreName,
  BackupError,
  type BackupManifest,
  type BackupStep,
  configName,
  foreignCertificateName,
  foreignKeyName,
  mainStoreName,
  manifestName,
  overlayName,
  sealedKeyName,
  tlsFolder,
} from './backup-format.ts';
import { type BackupFile, LostFileError, parseManifest } from './backup-source.ts';

export interface ReceivedBackup {
  manifest: BackupManifest;
  /** Everything but the stores and the blobs, by name. */
  smallFiles: Map<string, Buffer>;
  /** The contents that arrived whole. */
  blobs: ReadonlySet<string>;
}

export interface Staging {
  main: string;
  activity: string;
  /** Called with the configuration, before the first blob arrives. Returns the folder for blobs. */
  blobs: (config: Buffer) => Promise<string>;
}

const maxSmallBytes = 16 * 1024 * 1024;
const maxManifestBytes = 512 * 1024 * 1024;
const blobPattern = /^blobs\/([0-9a-f]{2})\/(\1[0-9a-f]{62})$/;
const smallNames = [configName, overlayName, foreignCertificateName, foreignKeyName, sealedKeyName];

const isSmall = (name: string): boolean =>
  smallNames.includes(name) ||
  (name.startsWith(tlsFolder) && /^[\w-][\w.-]{0,63}$/.test(name.slice(tlsFolder.length)));

interface Received {
  bytes: number;
  sha256: string;
}

async function receiveSmall({ name, content }: BackupFile, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of content) {
    bytes += (chunk as Buffer).length;
    if (bytes > maxBytes) throw new BackupError(`"${name}" in the backup is too large.`);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

async function receiveLarge({ content }: BackupFile, path: string): Promise<Received> {
  const hash = createHash('sha256');
  let bytes = 0;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await pipeline(
    content,
    async function* (source) {
      for await (const chunk of source as AsyncIterable<Buffer>) {
        hash.update(chunk);
        bytes += chunk.length;
        yield chunk;
      }
    },
    createWriteStream(path, { mode: 0o600, flags: 'wx' }),
  );
  const file = await open(path, 'r+');
  await file.sync().finally(() => file.close());
  return { bytes, sha256: hash.digest('hex') };
}

/** False, and nothing at `path`, if the content is damaged or its file is lost. */
async function receiveBlob(file: BackupFile, path: string, hash: string): Promise<boolean> {
  const isWhole = await receiveLarge(file, path).then(
    ({ sha256 }) => sha256 === hash,
    (error: unknown) => {
      if (error instanceof LostFileError) return false;
      throw error;
    },
  );
  if (!isWhole) await rm(path, { force: true });
  return isWhole;
}

/**
 * Receives everything, except for contents of files that are damaged or missing. @throws BackupError for another
 * file that does not belong, is missing, or differs from the manifest; the caller removes what is staged.
 */
export async function receiveBackup(
  files: AsyncIterable<BackupFile>,
  staging: Staging,
  onProgress: (step: BackupStep) => void,
): Promise<ReceivedBackup> {
  const receivedByName = new Map<string, Received>();
  const smallFiles = new Map<string, Buffer>();
  const blobs = new Set<string>();
  let manifest: BackupManifest | null = null;
  let folder: string | null = null;
  const names = new Set<string>();
  for await (const file of files) {
    const { name } = file;
    // A second file of the same name must not replace one on which a decision was based.
    if (names.has(name)) throw new BackupError(`the backup has "${name}" twice.`);
    names.add(name);
    const [, , hash] = blobPattern.exec(name) ?? [];
    if (name === manifestName)
      manifest = parseManifest((await receiveSmall(file, maxManifestBytes)).toString('utf8'), 'the backup');
    else if (name === mainStoreName) receivedByName.set(name, await receiveLarge(file, staging.main));
    else if (name === activityStoreName) receivedByName.set(name, await receiveLarge(file, staging.activity));
    else if (isSmall(name)) {
      const content = await receiveSmall(file, maxSmallBytes);
      smallFiles.set(name, content);
      const sha256 = createHash('sha256').update(content).digest('hex');
      receivedByName.set(name, { bytes: content.length, sha256 });
    } else if (hash !== undefined) {
      folder ??= await staging.blobs(smallFiles.get(configName) ?? Buffer.of());
      if (await receiveBlob(file, join(folder, name.slice('blobs/'.length)), hash)) blobs.add(hash);
      onProgress({ what: 'files', unit: 'files', done: blobs.size, total: null });
    } else throw new BackupError(`the backup has a file "${name}" that does not belong to one.`);
  }
  if (manifest === null)
    throw new BackupError('the backup has no manifest: it was cut off. Use another one.');
  refuseDifferences(manifest, receivedByName);
  return { manifest, smallFiles, blobs };
}

function refuseDifferences({ files }: BackupManifest, receivedByName: ReadonlyMap<string, Received>): void {
  for (const { name, bytes, sha256 } of files) {
    const found = receivedByName.get(name);
    if (found === undefined) throw new BackupError(`"${name}" is missing from the backup.`);
    if (found.bytes !== bytes || found.sha256 !== sha256)
      throw new BackupError(`"${name}" in the backup is damaged.`);
  }
  for (const name of [mainStoreName, activityStoreName, configName])
    if (!receivedByName.has(name)) throw new BackupError(`"${name}" is missing from the backup.`);
  if (files.length !== receivedByName.size)
    throw new BackupError('the backup has files that its manifest does not name.');
}
