/**
 * Bytes by their SHA-256. The main store knows which hashes are referred to; the order of steps here keeps
 * both consistent: bytes are durable before an entry refers to them, and are deleted only after nothing does.
 * In between they are pinned, so that neither the removal of another entry with the same bytes nor the sweep
 * deletes them (specification/files.md#blobs).
 */
import { mkdir, open, rename, rm, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { codeOf, codeText } from '#platform/error-text.ts';
import { syncFolder } from '#platform/private-file.ts';
import { BrokerError, refusal, refuse } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import type { Log } from '../../runtime/log.ts';
import { type BlobFolder, type FolderOwner, openBlobFolder } from './blob-folder.ts';
import { areBlobsHeld } from './blob-hold.ts';
import { type BlobTrash, createBlobTrash } from './blob-trash.ts';
import { createHashTurns } from './hash-turns.ts';
import { type Content, receiveBlob } from './receive-blob.ts';

export interface OpenBlob {
  /**
   * Fills `into` from `position` on. Returns the number of bytes, at least one. @throws BrokerError
   * unavailable.
   */
  read(into: Uint8Array, position: number): Promise<number>;
  close(): Promise<void>;
}

export interface BlobStore {
  /**
   * Prepares the folder, for callers that must know at start. @throws BrokerError unavailable with what to
   * do.
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
  /** Deletes those of the blobs that nothing refers to. */
  purge(hashes: readonly string[]): Promise<void>;
  /** Deletes every blob that nothing refers to; ends early when `isOver` returns true. */
  sweep(isOver: () => boolean): Promise<void>;
}

export interface BlobStoreDeps {
  /** An absolute path; called at first use. */
  root: () => string;
  /** Nothing is stored while less of the disk is free, bytes; null for `limits.freeDisk`. */
  minFreeBytes: () => number | null;
  owner: FolderOwner;
  /** Returns those of the hashes that no entry refers to at that moment. */
  unreferenced: (hashes: string[]) => Promise<string[]>;
  log: Log;
}

export function createBlobStore({ root, minFreeBytes, owner, unreferenced, log }: BlobStoreDeps): BlobStore {
  const inTurn = createHashTurns();
  const pinsByHash = new Map<string, number>();
  let opening: Promise<BlobFolder> | null = null;

  /** A failure is not kept: the next request tries again. */
  function folder(): Promise<BlobFolder> {
    opening ??= openBlobFolder(root(), owner).catch((error: unknown) => {
      opening = null;
      return broken(error, refusal('files_root_unusable', { root: root(), cause: codeText(error) }));
    });
    return opening;
  }

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
  async function refuseFullDisk({ root: top }: BlobFolder): Promise<void> {
    const { bavail, blocks, bsize } = await statfs(top);
    const { bytes, share } = limits.freeDisk;
    const floor = minFreeBytes() ?? Math.min(bytes, share * blocks * bsize);
    if (bavail * bsize < floor) refuse('disk_nearly_full');
  }

  /** The rename makes the bytes visible as a whole, and the sync of the folder makes it durable. */
  async function place(
    { root: top, pathOf }: BlobFolder,
    received: string,
    { hash, size }: Content,
  ): Promise<void> {
    const target = pathOf(hash);
    const present = await stat(target).catch(() => null);
    if (present?.size === size) return;
    const made = await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await rename(received, target);
    await syncFolder(dirname(target));
    if (made !== undefined) await syncFolder(top);
  }

  async function purge(hashes: readonly string[]): Promise<void> {
    const { root: top, pathOf } = await folder();
    await inTurn(hashes, async () => {
      const unpinned = (hash: string): boolean => !pinsByHash.has(hash);
      const unused = await unreferenced(hashes.filter(unpinned));
      // Asked after: a backup that begins later sees that nothing refers to them.
      if (unused.length > 0 && (await areBlobsHeld(top))) return;
      for (const hash of unused) {
        // Pinned in the meantime: its writer waits for this turn and places the bytes again.
        if (!unpinned(hash)) continue;
        if (owner.isShared) await trashIn(top, pathOf).add(hash, pathOf(hash));
        else await rm(pathOf(hash), { force: true });
      }
    });
    if (owner.isShared) await trashIn(top, pathOf).empty(Date.now());
  }

  let trash: BlobTrash | null = null;
  function trashIn(top: string, pathOf: BlobFolder['pathOf']): BlobTrash {
    trash ??= createBlobTrash(top, pathOf, unreferenced);
    return trash;
  }

  /** What is not deleted now is deleted by the next sweep. */
  const purgeOrPutOff = (hashes: readonly string[]): Promise<void> =>
    purge(hashes).catch((err: unknown) => log.warn({ err }, 'removing unused file content is put off'));

  async function keep<T>(
    at: BlobFolder,
    received: string,
    content: Content,
    commit: (content: Content) => Promise<T>,
  ): Promise<T> {
    const { hash } = content;
    let isCommitted = false;
    pin(hash);
    try {
      await inTurn([hash], () => place(at, received, content)).catch(notWritten);
      const result = await commit(content);
      isCommitted = true;
      return result;
    } finally {
      unpin(hash);
      if (!isCommitted) await purgeOrPutOff([hash]);
    }
  }

  const notWritten = (error: unknown): never =>
    broken(error, refusal('file_not_written', { cause: codeText(error) }));

  return {
    async open() {
      await folder();
    },
    async store(source, maxBytes, commit) {
      const at = await folder();
      await refuseFullDisk(at);
      const path = at.incoming();
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
      const { root: top, pathOf } = await folder();
      const damaged = (error: unknown): never =>
        broken(error, refusal('content_unreadable', { cause: codeText(error) }));
      const opened = () =>
        open(pathOf(hash), 'r').catch((error: unknown) =>
          codeOf(error) === 'ENOENT' ? null : damaged(error),
        );
      let file = await opened();
      if (file === null && owner.isShared && (await trashIn(top, pathOf).putBack(hash, pathOf(hash))))
        file = await opened();
      if (file === null) return null;
      const found = await file.stat();
      if (found.size !== size) {
        await file.close();
        damaged(new Error(`${pathOf(hash)} has ${found.size} bytes instead of ${size}`));
      }
      return {
        async read(into, position) {
          const { bytesRead } = await file.read(into, 0, into.length, position).catch(damaged);
          return bytesRead > 0 ? bytesRead : damaged(new Error(`${pathOf(hash)} became shorter`));
        },
        close: () => file.close(),
      };
    },
    purge: purgeOrPutOff,
    async sweep(isOver) {
      const { listed } = await folder();
      for await (const hashes of listed()) {
        if (isOver()) return;
        await purge(hashes);
      }
    },
  };
}
