/**
 * The contents of a backup, in a folder or as one tar file (specification/backup.md#contents). The manifest is
 * written last, so a backup that was cut off has none.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { codeOf, codeText } from '#platform/error-text.ts';
import { AuditHead } from '#protocol/audit.ts';
import { Timestamp } from '#protocol/ids.ts';

export const manifestName = 'manifest.json';
export const mainStoreName = 'main.db';
export const activityStoreName = 'activity.db';
export const configName = 'config/svc.json';
export const overlayName = 'config/platform.json';
export const tlsFolder = 'config/tls/';
/** Certificate and key of an https block that names files of the operator's own. */
export const foreignCertificateName = 'config/https.crt';
export const foreignKeyName = 'config/https.key';
export const sealedKeyName = 'key.json';

export const blobName = (hash: string): string => `blobs/${hash.slice(0, 2)}/${hash}`;

const Hash = z.string().regex(/^[0-9a-f]{64}$/);
const size = z.int().nonnegative();

/** `files` are all files but the manifest and the blobs. `counts` are the rows of the tables that matter most. */
export const BackupManifest = z.object({
  format: z.literal(1),
  createdAt: Timestamp,
  /** Of Muster. */
  version: z.string(),
  team: z.string(),
  storeId: z.string(),
  files: z.array(z.object({ name: z.string(), bytes: size, sha256: Hash })),
  blobs: z.array(z.object({ hash: Hash, bytes: size })),
  counts: z.record(z.string(), size),
  audit: AuditHead,
  /** Of the rest; absent in backups of earlier versions. */
  sha256: Hash.optional(),
});
export type BackupManifest = z.infer<typeof BackupManifest>;

/** `rest`: a manifest without its hash, with the keys in the order in which they are written. */
export const manifestHash = (rest: object): string =>
  createHash('sha256').update(JSON.stringify(rest)).digest('hex');

/** A failure of a backup or a restore, in one sentence that says what to do. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

export const notEnoughSpace = (): BackupError =>
  new BackupError('there is not enough space. Nothing of the backup was kept.');

/** Whether the system, a quota, or SQLite found no space. */
export const isFull = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT', 'SQLITE_FULL'].includes(codeOf(error) ?? '');

/** @throws BackupError that names the folder; one that already says what happened stays as it is. */
export function refuseUnusable(folder: string, error: unknown): never {
  if (error instanceof BackupError) throw error;
  if (isFull(error)) throw notEnoughSpace();
  throw new BackupError(`the folder "${folder}" cannot be used (${codeText(error)}). Name another place.`);
}

/** The state of the work on a backup. */
export interface BackupStep {
  what: 'stores' | 'files' | 'checked';
  unit: 'bytes' | 'files' | 'stores';
  done: number;
  /** Null if it is not known. */
  total: number | null;
}
