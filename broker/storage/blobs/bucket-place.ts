/**
 * Contents in a bucket of an S3-compatible store, `<prefix><first two hex>/<sha256>`, which several machines may use
 * (specification/files.md#object-storage).
 *
 * A broker that was suspended may remove late what its successor refers to by then. So each removal first makes a copy in
 * `.trash/`, which stays for a day, and then removes the content within minutes or not at all: the broker sends no later
 * request, and the store accepts none that was signed long ago. Until the trash is emptied, the copy is read instead.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { refuse } from '#protocol/errors.ts';
import { StartUpError } from '../../runtime/start-up-error.ts';
import type { BlobPlace, OpenContent, PlaceOwner, Unreferenced } from './blob-place.ts';
import { type Bucket, BucketError, openBucket } from './bucket.ts';
import { bucketAddress } from './bucket-address.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const minuteMs = 60_000;
const hashOf = (key: string): string | undefined => /(?:^|\/)([0-9a-f]{64})(?:\/|$)/.exec(key)?.[1];
const keyOf = (hash: string): string => `${hash.slice(0, 2)}/${hash}`;
const trash = '.trash/';
const mark = '.store';

type Environment = Readonly<Record<string, string | undefined>>;

export interface BucketPlaceOptions {
  root: string;
  owner: PlaceOwner;
  /** A private folder of this machine for bytes that are arriving. It is created and emptied. */
  incoming: string;
  unreferenced: Unreferenced;
  env: Environment;
}

/** Says what the person who starts the broker can do; null if the store cannot be reached at this moment. */
function remedyFor({ code, status, message }: BucketError, bucket: string): string | null {
  if (code === 'NotEncrypted')
    return 'the endpoint is on another machine, and the connection to it would not be encrypted; use an address with https://';
  if (code === 'NoSuchBucket') return `there is no bucket "${bucket}"; create it, or correct files.root`;
  if (code === 'CredentialsProviderError' || code === 'TokenProviderError')
    return 'there are no credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY';
  if (/region is missing/i.test(message)) return 'the region is not known; set AWS_REGION';
  if (status === 401 || status === 403)
    return `the store refuses the key (${code}); it needs the rights s3:ListBucket, s3:GetObject, s3:PutObject, and s3:DeleteObject`;
  if (status === 301 || status === 307 || (status >= 400 && status < 500 && status !== 409 && status !== 429))
    return `the store refuses the request (${code}); check files.root, AWS_REGION, and the endpoint`;
  return null;
}

/** Sends no request yet. @throws StartUpError (78) for an address that is none; BucketError. */
export async function openReadable(
  root: string,
  env: Environment,
): Promise<{ bucket: Bucket; open: BlobPlace['open'] }> {
  const bucket = await openBucket(bucketAddress(root), env);
  const bytesOf = (key: string, size: number): OpenContent => ({
    size,
    async read(into, position) {
      const part = into.subarray(0, Math.max(0, size - position));
      if (part.length > 0) await bucket.read(key, part, position);
      return part.length;
    },
    close: async () => undefined,
  });
  return {
    bucket,
    async open(hash) {
      const size = await bucket.size(keyOf(hash));
      if (size !== null) return bytesOf(keyOf(hash), size);
      for await (const [copy] of bucket.list(`${trash}${hash}/`)) {
        const copied = copy === undefined ? null : await bucket.size(copy.key);
        if (copy !== undefined && copied !== null) return bytesOf(copy.key, copied);
      }
      return null;
    },
  };
}

/** Returns the sentence for whoever starts a program with this bucket. */
export const unusable = (root: string, error: BucketError): string =>
  `the contents of files cannot be kept in "${root}": ${remedyFor(error, bucketAddress(root).bucket) ?? `the store cannot be reached (${error.code}); check the endpoint and the network, and start again`}`;

/** Asks for each right that a start can ask for. @throws BucketError; BrokerError if another store owns it. */
async function claim(bucket: Bucket, { storeId, isOnDisk }: PlaceOwner, root: string): Promise<void> {
  await bucket.list(mark).next();
  if (isOnDisk) await bucket.putText(mark, `${storeId}\n`);
  const found = await bucket.text(mark);
  if (found !== null && found.trim() !== storeId) refuse('files_of_another_store', { root });
}

/**
 * @throws StartUpError (78) if the bucket cannot be used; BrokerError if another store owns it; BucketError if the store
 * cannot be reached and this broker takes over from another one.
 */
export async function openBucketPlace({
  root,
  owner,
  incoming,
  unreferenced,
  env,
}: BucketPlaceOptions): Promise<BlobPlace> {
  await mkdir(incoming, { recursive: true, mode: 0o700 });
  for (const name of await readdir(incoming)) await rm(join(incoming, name), { force: true });
  const { bucket, open } = await openReadable(root, env);
  try {
    await claim(bucket, owner, root);
  } catch (error) {
    bucket.close();
    if (!(error instanceof BucketError)) throw error;
    const isLasting = remedyFor(error, '') !== null;
    if (!isLasting && owner.sharedMark !== null) throw error;
    throw new StartUpError(unusable(root, error), 78, { cause: error });
  }
  let emptiedAt = Number.NEGATIVE_INFINITY;

  async function emptyPart(keys: readonly string[]): Promise<void> {
    const hashes = new Set(keys.flatMap((key) => hashOf(key) ?? []));
    const unused = new Set(await unreferenced([...hashes]));
    for (const key of keys) {
      const hash = hashOf(key);
      if (hash === undefined) continue;
      if (!unused.has(hash) && (await bucket.size(keyOf(hash))) === null) await bucket.copy(key, keyOf(hash));
      await bucket.remove(key);
    }
  }

  return {
    isRemote: true,
    incoming,
    async put(received, content) {
      const key = keyOf(content.hash);
      if ((await bucket.size(key)) !== content.size) await bucket.putFile(key, received, content);
    },
    open,
    async remove(hash) {
      const until = Date.now() + 10 * minuteMs;
      if (await bucket.copy(keyOf(hash), `${trash}${hash}/${randomUUID()}`))
        await bucket.remove(keyOf(hash), until);
    },
    // Everything that is removed stays in the trash for a day.
    isHeld: async () => false,
    async tidy() {
      const now = Date.now();
      if (now - emptiedAt < hourMs) return;
      emptiedAt = now;
      for await (const page of bucket.list(trash))
        await emptyPart(page.filter(({ writtenAt }) => writtenAt < now - dayMs).map(({ key }) => key));
    },
    async *listed() {
      for await (const page of bucket.list(''))
        yield page.flatMap(({ key }) => (/^[0-9a-f]{2}\/[0-9a-f]{64}$/.test(key) ? (hashOf(key) ?? []) : []));
    },
    close: () => bucket.close(),
  };
}
