/**
 * Bytes by their SHA-256. The main store knows which hashes are referred to; the order of steps here keeps
 * both consistent: bytes are durable before an entry refers to them, and are deleted only after nothing does.
 * In between they are pinned, so that neither the removal of another entry with the same bytes nor the sweep
 * deletes them (specification/files.md#blobs).
 */
import { randomUUID } from 'node:crypto';
import { rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { codeText } from '#platform/error-text.ts';
import { BrokerError, refusal, refuse } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import type { Log } from '../../runtime/log.ts';
import { StartUpError } from '../../runtime/start-up-error.ts';
import type { BlobPlace, OpenBlob, Unreferenced } from './blob-place.ts';
import { createHashTurns } from './hash-turns.ts';
import { type Content, receiveBlob } from './receive-blob.ts';

export interface BlobStore {
  /**
   * Prepares the place, for callers that must know at start. @throws StartUpError from the place; BrokerError
   * unavailable with what to do.
   */
  open(): Promise<void>;
  /**
   * Stores the bytes of `source` and calls `commit` once they are durable; if it refuses, they are deleted
   * again.
   * @throws BrokerError payload_too_large, bad_request (interrupted), unavailable (disk full or broken), and
   *   what `commit` throws.
   */
  store<T>(source: Readable, maxBytes: number, commit: (content: Content) => Promise<T>): Promise<T>;
  /**
   * Returns null if there are no such bytes. @throws BrokerError unavailable if they cannot be read or are
   * incomplete.
   */
  find(content: Content): Promise<OpenBlob | null>;
  /**
   * Deletes those of the blobs that nothing refers to. If they are in an object store, it resolves before they are
   * deleted.
   */
  purge(hashes: readonly string[]): Promise<void>;
  /** Deletes every blob that nothing refers to; ends early when `isOver` returns true. */
  sweep(isOver: () => boolean): Promise<void>;
  /** Ends what is under way. */
  close(): Promise<void>;
}

export interface BlobStoreDeps {
  /** For sentences; called at first use. */
  root: () => string;
  openPlace: (root: string) => Promise<BlobPlace>;
  /** Nothing is stored while less of the disk is free, bytes; null for `limits.freeDisk`. */
  minFreeBytes: () => number | null;
  unreferenced: Unreferenced;
  log: Log;
}

/** Contents that are removed at the same time. */
const partSize = 32;
/** Contents of an object store that wait to be removed. */
const maxWaiting = 200_000;

export function createBlobStore({
  root,
  openPlace,
  minFreeBytes,
  unreferenced,
  log,
}: BlobStoreDeps): BlobStore {
  const inTurn = createHashTurns();
  const pinsByHash = new Map<string, number>();
  // Another machine may still write into files of its own.
  const session = randomUUID();
  let received = 0;
  let opening: Promise<BlobPlace> | null = null;
  let isClosed = false;

  /** A failure is not kept: the next request tries again. */
  function opened(): Promise<BlobPlace> {
    opening ??= openPlace(root()).catch((error: unknown) => {
      opening = null;
      throw error;
    });
    return opening;
  }

  const unusable = (error: unknown): never =>
    broken(error, refusal('files_root_unusable', { root: root(), cause: codeText(error) }));
  const place = (): Promise<BlobPlace> => opened().catch(unusable);

  function broken(error: unknown, refused: BrokerError): never {
    if (error instanceof BrokerError) throw error;
    log.error({ err: error }, refused.message);
    throw refused;
  }

  function pin(hash: string): void {
    pinsByHash.set(hash, (pinsByHash.get(hash) ?? 0) + 1);
  }
  function unpin(hash: string): void {
    const left = (pinsByHash.get(hash) ?? 1) - 1;
    if (left === 0) pinsByHash.delete(hash);
    else pinsByHash.set(hash, left);
  }

  /** The stores are usually on the same disk, and must be able to write when files no longer are. */
  async function refuseFullDisk(folder: string): Promise<void> {
    const { bavail, blocks, bsize } = await statfs(folder);
    const { bytes, share } = limits.freeDisk;
    const floor = minFreeBytes() ?? Math.min(bytes, share * blocks * bsize);
    if (bavail * bsize < floor) refuse('disk_nearly_full');
  }

  async function purgePart(at: BlobPlace, hashes: readonly string[]): Promise<void> {
    await inTurn(hashes, async () => {
      const unpinned = (hash: string): boolean => !pinsByHash.has(hash);
      const unused = await unreferenced(hashes.filter(unpinned));
      // Asked after: a backup that begins later sees that nothing refers to them.
      if (unused.length > 0 && (await at.isHeld())) return;
      // One that is pinned in the meantime stays: its writer waits for this turn and places the bytes again.
      await Promise.all(unused.map((hash) => (unpinned(hash) ? at.remove(hash) : undefined)));
    });
  }

  /** A writer of the same bytes waits for one part at most. */
  async function purge(hashes: readonly string[]): Promise<void> {
    const at = await place();
    for (let begin = 0; begin < hashes.length && !isClosed; begin += partSize)
      await purgePart(at, hashes.slice(begin, begin + partSize));
    if (!isClosed) await at.tidy();
  }

  /** The next sweep deletes the rest. */
  const purgeOrPutOff = (hashes: readonly string[]): Promise<void> =>
    purge(hashes).catch((err: unknown) => log.warn({ err }, 'removing unused file content is put off'));

  let removing: Promise<void> = Promise.resolve();
  let waiting = 0;
  async function purgeSoon(hashes: readonly string[]): Promise<void> {
    const at = await place().catch(() => null);
    if (at?.isRemote !== true) return purgeOrPutOff(hashes);
    const size = hashes.length + 1;
    if (waiting + size > maxWaiting) {
      log.warn({ hashes: hashes.length }, 'removing unused file content is put off until the next start');
      return;
    }
    waiting += size;
    removing = removing
      .then(() => purgeOrPutOff(hashes))
      .then(() => {
        waiting -= size;
      });
  }

  async function keep<T>(
    at: BlobPlace,
    path: string,
    content: Content,
    commit: (content: Content) => Promise<T>,
  ): Promise<T> {
    const { hash } = content;
    let isCommitted = false;
    pin(hash);
    try {
      await inTurn([hash], () => at.put(path, content)).catch(notWritten);
      const result = await commit(content);
      isCommitted = true;
      return result;
    } finally {
      unpin(hash);
      if (!isCommitted) await purgeSoon([hash]);
    }
  }

  const notWritten = (error: unknown): never =>
    broken(error, refusal('file_not_written', { cause: codeText(error) }));

  return {
    async open() {
      await opened().catch((error: unknown) => {
        if (error instanceof StartUpError) throw error;
        unusable(error);
      });
    },
    async store(source, maxBytes, commit) {
      const at = await place();
      await refuseFullDisk(at.incoming);
      received += 1;
      const path = join(at.incoming, `${session}-${received}`);
      try {
        const content = await receiveBlob({ source, path, maxBytes, silenceMs: limits.bodyReadMs }).catch(
          notWritten,
        );
        return await keep(at, path, content, commit);
      } finally {
        await rm(path, { force: true }).catch((err: unknown) =>
          log.warn({ err }, 'removing an upload is put off until the next start'),
        );
      }
    },
    async find({ hash, size }) {
      const at = await place();
      const damaged = (error: unknown): never =>
        broken(error, refusal('content_unreadable', { cause: codeText(error) }));
      const found = await at.open(hash).catch(damaged);
      if (found === null) return null;
      if (found.size !== size) {
        await found.close();
        damaged(new Error(`the content ${hash} has ${found.size} bytes instead of ${size}`));
      }
      return {
        async read(into, position) {
          const length = await found.read(into, position).catch(damaged);
          return length > 0 ? length : damaged(new Error(`the content ${hash} became shorter`));
        },
        close: () => found.close(),
      };
    },
    purge: purgeSoon,
    async sweep(isOver) {
      for await (const hashes of (await place()).listed()) {
        if (isOver()) return;
        await purge(await unreferenced(hashes));
      }
    },
    async close() {
      isClosed = true;
      (await opening?.catch(() => null))?.close();
      await removing;
    },
  };
}
