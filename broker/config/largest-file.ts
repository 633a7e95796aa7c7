/** The limit of a file in the `files` block (specification/files.md#object-storage). */
import { isBucket } from '../storage/blobs/bucket-address.ts';

/** The most that one request can write into a bucket. */
const maxBucketContent = 5 * 1024 ** 3;

/** Returns the bytes of the largest file that can be stored. */
export const largestFile = ({ root, maxFileSize }: { root: string; maxFileSize: number }): number =>
  isBucket(root) ? Math.min(maxFileSize, maxBucketContent) : maxFileSize;
