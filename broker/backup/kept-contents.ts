/** The contents of files where a broker keeps them, for reading: a folder, or a bucket of an S3-compatible store. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, constants, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StartUpError } from '../runtime/start-up-error.ts';
import { holdBlobs } from '../storage/blobs/blob-hold.ts';
import { BucketError } from '../storage/blobs/bucket.ts';
import { filesRootOf, isBucket } from '../storage/blobs/bucket-address.ts';
import { openReadable, unusable } from '../storage/blobs/bucket-place.ts';
import { BackupError, type BackupManifest } from './backup-format.ts';

type Blob = BackupManifest['blobs'][number];

export interface KeptContents {
  /** Whether it is there with its size, without reading it. */
  has(blob: Blob): Promise<boolean>;
  /** Returns a file with these bytes, which may be the one at `path`; null if there is none of this size. */
  fileOf(blob: Blob, path: string): Promise<string | null>;
  /** Returns the SHA-256 in hex. @throws errors with a code. */
  hashOf(hash: string): Promise<string>;
  close(): Promise<void>;
}

const none: KeptContents = {
  has: async () => false,
  fileOf: async () => null,
  async hashOf() {
    throw missing();
  },
  close: async () => undefined,
};

const missing = (): Error => Object.assign(new Error('there is no such content'), { code: 'ENOENT' });

/** The running broker removes nothing there until it is closed. */
async function inFolder(root: string): Promise<KeptContents> {
  const letGo = await holdBlobs(root);
  const pathOf = (hash: string): string => join(root, hash.slice(0, 2), hash);
  const isThere = async ({ hash, bytes }: Blob): Promise<boolean> =>
    (await stat(pathOf(hash)).catch(() => null))?.size === bytes;
  return {
    has: async (blob) =>
      (await isThere(blob)) &&
      access(pathOf(blob.hash), constants.R_OK).then(
        () => true,
        () => false,
      ),
    fileOf: async (blob) => ((await isThere(blob)) ? pathOf(blob.hash) : null),
    async hashOf(hash) {
      const sha256 = createHash('sha256');
      for await (const chunk of createReadStream(pathOf(hash))) sha256.update(chunk as Buffer);
      return sha256.digest('hex');
    },
    close: letGo,
  };
}

/** Bytes of one request. */
const partBytes = 4 * 1024 * 1024;

/** A broker keeps what it removes in the trash of the bucket for a day, so that nothing has to be held. */
async function inBucket(root: string): Promise<KeptContents> {
  const { bucket, open: openContent } = await openReadable(root, process.env);
  async function* partsOf(hash: string): AsyncGenerator<Uint8Array> {
    const content = await openContent(hash);
    if (content === null) throw missing();
    const part = new Uint8Array(Math.min(partBytes, content.size));
    for (let at = 0; at < content.size; ) {
      const length = await content.read(part, at);
      yield part.subarray(0, length);
      at += length;
    }
  }
  const has = async ({ hash, bytes }: Blob): Promise<boolean> => (await openContent(hash))?.size === bytes;
  // A key that may not list learns nothing about what is missing.
  await bucket.list('.store').next();
  return {
    has,
    async fileOf(blob, path) {
      if (!(await has(blob))) return null;
      const file = await open(path, 'w', 0o600);
      try {
        for await (const part of partsOf(blob.hash)) await file.writeFile(part);
      } finally {
        await file.close();
      }
      return path;
    },
    async hashOf(hash) {
      const sha256 = createHash('sha256');
      for await (const part of partsOf(hash)) sha256.update(part);
      return sha256.digest('hex');
    },
    close: async () => bucket.close(),
  };
}

/** Runs `work` with the contents of a broker. @throws BackupError if they are in a bucket that cannot be read. */
export async function withContents<T>(
  configPath: string,
  written: string | undefined,
  work: (contents: KeptContents) => Promise<T>,
): Promise<T> {
  const root = written === undefined ? null : filesRootOf(configPath, written);
  try {
    const contents = await openContents(root);
    try {
      return await work(contents);
    } finally {
      await contents.close();
    }
  } catch (error) {
    if (error instanceof StartUpError) throw new BackupError(error.message);
    if (root !== null && error instanceof BucketError) throw new BackupError(unusable(root, error));
    throw error;
  }
}

async function openContents(root: string | null): Promise<KeptContents> {
  if (root === null) return none;
  if (isBucket(root)) return inBucket(root);
  const isThere = (await stat(root).catch(() => null)) !== null;
  return isThere ? inFolder(root) : none;
}
