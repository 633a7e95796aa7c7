/**
 * Requests to one bucket of an S3-compatible store. Each is bounded in time and in memory. Region, endpoint, and
 * credentials are those of the client's environment (specification/files.md#object-storage).
 */
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { PutObjectCommandInput, S3Client } from '@aws-sdk/client-s3';
import { codeOf, reasonOf } from '#platform/error-text.ts';
import { isLoopback } from '#protocol/loopback.ts';
import type { BucketAddress } from './bucket-address.ts';

/** Its code is the system's or the store's, such as `ECONNREFUSED` or `AccessDenied`. */
export class BucketError extends Error {
  override readonly name = 'BucketError';
  readonly code: string;
  /** The HTTP status of the answer; 0 if there was none. */
  readonly status: number;

  constructor(error: unknown) {
    super(reasonOf(error), { cause: error });
    const { name = 'Error', $metadata } = error as { name?: string; $metadata?: { httpStatusCode?: number } };
    this.code = codeOf(error) ?? name;
    this.status = $metadata?.httpStatusCode ?? 0;
  }
}

export interface Listed {
  key: string;
  /** By the clock of the store, epoch ms. */
  writtenAt: number;
}

/** Keys are without the prefix. Methods throw BucketError. */
export interface Bucket {
  /** Writes a text unless the key is there already; then returns false. */
  putText(key: string, text: string): Promise<boolean>;
  /** Writes a file unless the key is there already. The store compares the SHA-256 in hex. */
  putFile(key: string, path: string, content: { hash: string; size: number }): Promise<void>;
  text(key: string): Promise<string | null>;
  /** Bytes; null if there is no such key. */
  size(key: string): Promise<number | null>;
  /** Fills `into` from `position` on, completely. */
  read(key: string, into: Uint8Array, position: number): Promise<void>;
  /** Returns false if there is no such key. */
  copy(from: string, to: string): Promise<boolean>;
  /** Sends nothing after `until`, epoch ms, and does not try again. */
  remove(key: string, until?: number): Promise<void>;
  list(prefix: string): AsyncGenerator<Listed[]>;
  /** Ends all requests. */
  close(): void;
}

const requestTimeoutMs = 15_000;
/** A copy or an upload takes longer if it is large. */
const minBytesPerMs = 256;
const silenceMs = 15_000;
const maxSockets = 48;
const maxTries = 3;

const isMissing = ({ code, status }: BucketError): boolean => status === 404 && code !== 'NoSuchBucket';

/** 409: another machine writes the same key at this moment. A store closes connections that are idle for long. */
const isPassing = ({ code, status }: BucketError): boolean =>
  status === 409 || status === 429 || status >= 500 || code === 'ECONNRESET' || code === 'EPIPE';

/** Errors are thrown; the client would also print some. */
const ignore = (): void => undefined;
const logger = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };

async function connect(env: Readonly<Record<string, string | undefined>>): Promise<S3Client> {
  const { S3Client: Client } = await import('@aws-sdk/client-s3');
  const endpoint = env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL;
  const region = env.AWS_REGION || env.AWS_DEFAULT_REGION || (endpoint ? 'us-east-1' : undefined);
  const client = new Client({
    ...(region !== undefined && { region }),
    forcePathStyle: Boolean(endpoint),
    // Many stores know no other checksums than the one that is sent with each content.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 1,
    logger,
    requestHandler: {
      connectionTimeout: 5_000,
      socketTimeout: silenceMs,
      httpAgent: { keepAlive: true, maxSockets },
      httpsAgent: { keepAlive: true, maxSockets },
    },
  });
  client.middlewareStack.add(
    (next) => (args) => {
      const { protocol, hostname } = args.request as { protocol: string; hostname: string };
      if (protocol === 'http:' && !isLoopback(hostname))
        throw Object.assign(new Error('the endpoint of the store is on another machine and not encrypted'), {
          code: 'NotEncrypted',
        });
      return next(args);
    },
    { step: 'deserialize', name: 'refuseUnencrypted' },
  );
  return client;
}

export async function openBucket(
  { bucket: Bucket, prefix }: BucketAddress,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Bucket> {
  const client = await connect(env).catch((error: unknown) => {
    throw new BucketError(error);
  });
  const s3 = await import('@aws-sdk/client-s3');
  const closing = new AbortController();
  const at = (key: string) => ({ Bucket, Key: `${prefix}${key}` });

  async function once<T>(work: (abortSignal: AbortSignal) => Promise<T>, timeoutMs: number): Promise<T> {
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(timeoutMs)]);
    try {
      signal.throwIfAborted();
      return await work(signal);
    } catch (error) {
      throw new BucketError(signal.aborted ? signal.reason : error);
    }
  }

  async function tried<T>(
    work: (abortSignal: AbortSignal) => Promise<T>,
    timeoutMs = requestTimeoutMs,
  ): Promise<T> {
    for (let tries = 1; ; tries++)
      try {
        return await once(work, timeoutMs);
      } catch (error) {
        if (tries === maxTries || !isPassing(error as BucketError)) throw error;
        await delay(tries * 200);
      }
  }

  const unlessMissing = (error: BucketError): null => {
    if (isMissing(error)) return null;
    throw error;
  };

  /** Returns whether it was written now. */
  const put = (
    key: string,
    bodyOf: () => Pick<PutObjectCommandInput, 'Body' | 'ContentLength' | 'ChecksumSHA256'>,
    timeoutMs = requestTimeoutMs,
  ): Promise<boolean> =>
    tried(async (abortSignal) => {
      const body = bodyOf();
      try {
        const command = new s3.PutObjectCommand({ ...at(key), IfNoneMatch: '*', ...body });
        await client.send(command, { abortSignal });
      } finally {
        // The client leaves a file open that it did not read to its end.
        if (body.Body instanceof Readable) body.Body.destroy();
      }
    }, timeoutMs).then(
      () => true,
      (error: BucketError) => {
        if (error.status === 412) return false;
        throw error;
      },
    );

  return {
    putText: (key, text) => put(key, () => ({ Body: text })),
    async putFile(key, path, { hash, size }) {
      const ChecksumSHA256 = Buffer.from(hash, 'hex').toString('base64');
      const bodyOf = () => ({
        Body: size === 0 ? '' : createReadStream(path),
        ContentLength: size,
        ChecksumSHA256,
      });
      await put(key, bodyOf, requestTimeoutMs + Math.ceil(size / minBytesPerMs));
    },
    text: (key) =>
      tried(async (abortSignal) => {
        const { Body } = await client.send(new s3.GetObjectCommand({ ...at(key), Range: 'bytes=0-1023' }), {
          abortSignal,
        });
        return (await Body?.transformToString()) ?? '';
      }).catch(unlessMissing),
    size: (key) =>
      tried(async (abortSignal) => {
        const { ContentLength } = await client.send(new s3.HeadObjectCommand(at(key)), { abortSignal });
        return ContentLength ?? 0;
      }).catch(unlessMissing),
    read: (key, into, position) =>
      tried(async (abortSignal) => {
        const Range = `bytes=${position}-${position + into.length - 1}`;
        const { Body } = await client.send(new s3.GetObjectCommand({ ...at(key), Range }), { abortSignal });
        const body = Body as unknown as NodeJS.ReadableStream & { destroy(error?: Error): void };
        const stop = () => body.destroy(new Error('the store did not answer in time'));
        abortSignal.addEventListener('abort', stop);
        let length = 0;
        try {
          for await (const chunk of body as AsyncIterable<Buffer>) {
            if (length + chunk.length <= into.length) into.set(chunk, length);
            length += chunk.length;
          }
        } finally {
          abortSignal.removeEventListener('abort', stop);
        }
        if (length !== into.length)
          throw Object.assign(new Error(`the store sent ${length} bytes instead of ${into.length}`), {
            code: 'WrongLength',
          });
      }),
    copy: (from, to) =>
      tried(async (abortSignal) => {
        const CopySource = `${Bucket}/${prefix}${from}`;
        await client.send(new s3.CopyObjectCommand({ ...at(to), CopySource }), { abortSignal });
        return true;
      }, requestTimeoutMs * 8).catch((error: BucketError) => unlessMissing(error) ?? false),
    remove: (key, until = Number.POSITIVE_INFINITY) =>
      once(async (abortSignal) => {
        const command = new s3.DeleteObjectCommand(at(key));
        // Runs after the request is signed: the store refuses what was signed a quarter of an hour ago.
        command.middlewareStack.add(
          (next) => (args) => {
            if (Date.now() > until) throw new Error('the removal comes too late');
            return next(args);
          },
          { step: 'deserialize', name: 'refuseLate' },
        );
        await client.send(command, { abortSignal });
      }, requestTimeoutMs),
    async *list(inside) {
      for (let after: string | undefined; ; ) {
        const page = await tried((abortSignal) =>
          client.send(
            new s3.ListObjectsV2Command({
              Bucket,
              Prefix: `${prefix}${inside}`,
              ...(after !== undefined && { ContinuationToken: after }),
            }),
            { abortSignal },
          ),
        );
        yield (page.Contents ?? []).map(({ Key = '', LastModified }) => ({
          key: Key.slice(prefix.length),
          writtenAt: LastModified?.getTime() ?? Date.now(),
        }));
        after = page.NextContinuationToken;
        if (page.IsTruncated !== true || after === undefined) return;
      }
    },
    close() {
      closing.abort(new Error('the broker ends'));
      client.destroy();
    },
  };
}
