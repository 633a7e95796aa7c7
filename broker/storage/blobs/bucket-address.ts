/** `files.root` as it is written: a folder, or a bucket of an S3-compatible store (specification/files.md#object-storage). */
import { dirname, resolve } from 'node:path';
import { StartUpError } from '../../runtime/start-up-error.ts';

export interface BucketAddress {
  bucket: string;
  /** Begins every key: empty, or with a slash at its end. */
  prefix: string;
}

export const isBucket = (root: string): boolean => root.startsWith('s3://');

/** Returns `files.root` of a configuration: a bucket as it is written, and a folder as an absolute path. */
export const filesRootOf = (configPath: string, written: string): string =>
  isBucket(written) ? written : resolve(dirname(configPath), written);

/** @throws StartUpError (78). */
export function bucketAddress(root: string): BucketAddress {
  const [, bucket, prefix] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/((?:[\w-][\w.-]*\/)*[\w-][\w.-]*)?\/?)?$/.exec(root) ??
    [];
  if (bucket === undefined)
    throw new StartUpError(
      `files.root "${root}" must be a folder, or a bucket such as s3://team-files/muster, with only letters, digits, and ._- in its prefix`,
    );
  return { bucket, prefix: prefix === undefined ? '' : `${prefix}/` };
}
