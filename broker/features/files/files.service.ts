/**
 * The filesystem (specification/files.md): the main store has the entries, and the blob store their bytes.
 */
import type { Readable } from 'node:stream';
import { BrokerError, refuse } from '#protocol/errors.ts';
import {
  type FsEntry,
  type FsFindQuery,
  type FsFound,
  type FsGrants,
  type FsListQuery,
  type FsMakeDirectory,
  type FsMove,
  type FsPath,
  type FsRemoveQuery,
  type FsSharedQuery,
  type FsWriteQuery,
  type FsWritten,
  MimeType,
} from '#protocol/files.ts';
import { limits } from '#protocol/limits.ts';
import type { ConfigStore } from '../../config/config-store.ts';
import { largestFile } from '../../config/largest-file.ts';
import type { Actor } from '../../runtime/actor.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import { StartUpError } from '../../runtime/start-up-error.ts';
import type { OpenBlob } from '../../storage/blobs/blob-place.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Audit } from '../audit/audit.service.ts';
import type { Members } from '../members/members.service.ts';
import type { FileUnits, SharedFiles } from './files.sqlite.ts';
import type { ReadersOfGrant } from './grant-rows.sqlite.ts';
import { createRecordedReads } from './recorded-reads.ts';

export interface Upload {
  body: Readable;
  /**
   * Returns the caller once the body has arrived. @throws BrokerError unauthenticated if it may no longer
   * send anything.
   */
  confirm: () => Promise<Actor>;
  /** The request's content type, which a write without `mime` uses. */
  contentType: string | undefined;
  /** The size of the body in bytes as the request declares it; null if it does not. */
  declaredSize: number | null;
}

export interface Files {
  /**
   * Prepares the place of contents and deletes what nothing refers to. Returns sentences for the person who starts
   * the broker. @throws StartUpError if an object store cannot be used.
   */
  load(): Promise<string[]>;
  /** Why no content can be kept although the configuration has a `files` block; null if it can. */
  fault(): Promise<string | null>;
  /** Whether the configuration has a `files` block. */
  isEnabled(): boolean;
  /** @throws BrokerError not_found without a `files` block. */
  refuseDisabled(): void;
  /**
   * Nothing can be attached without a `files` block.
   * @throws BrokerError not_found for the sender's own path, forbidden for anything else.
   */
  admitAttachments(sender: string, paths: readonly string[]): void;
  /**
   * Returns the page that was asked for, or the whole directory: at once, or in pages in the order of their
   * names if it is long.
   */
  list(actor: Actor, query: FsListQuery): Promise<{ entries: FsEntry[] } | AsyncIterable<FsEntry[]>>;
  stat(actor: Actor, path: FsPath): Promise<{ entry: FsEntry }>;
  /** The caller closes the content. @throws BrokerError also bad_request for a directory. */
  read(
    actor: Actor,
    path: FsPath,
  ): Promise<{ entry: FsEntry; mimeType: string; hash: string; content: OpenBlob }>;
  /** Durable when it resolves. If it is refused or interrupted, it leaves nothing behind. */
  write(actor: Actor, request: FsWriteQuery, upload: Upload): Promise<FsWritten>;
  makeDirectory(actor: Actor, request: FsMakeDirectory): Promise<{ entry: FsEntry }>;
  remove(actor: Actor, request: FsRemoveQuery): Promise<void>;
  move(actor: Actor, request: FsMove): Promise<{ entry: FsEntry }>;
  shared(actor: Actor, query: FsSharedQuery): AsyncIterable<FsEntry[]>;
  find(actor: Actor, query: FsFindQuery): Promise<FsFound>;
  grants(actor: Actor, path: FsPath): Promise<FsGrants>;
  /** Returns every member who may read what is at a path at this moment. */
  readers(path: string): Promise<string[]>;
  /** Also returns the members who may read anything below the path, if the actor may remove it with everything below. */
  readersWithin(actor: Actor, path: string): Promise<string[]>;
  close(): Promise<void>;
}

export interface FilesDeps {
  units: FileUnits;
  blobs: BlobStore;
  config: ConfigStore;
  members: Members;
  audit: Pick<Audit, 'entry' | 'record'>;
  clock: Clock;
  log: Log;
}

const defaultType = 'application/octet-stream';
/** The start continues if a sweep takes longer. */
const sweepTimeoutMs = 200;
/** Shared files that one read of the store looks up. */
const sharedAtATime = 200;
/** A file may be overwritten between finding its entry and opening its bytes. */
const maxReadTries = 5;

export function createFiles({ units, blobs, config, members, audit, clock, log }: FilesDeps): Files {
  const recordedReads = createRecordedReads(audit, clock);
  const homes = new Set<string>();
  let teammates: unknown = null;
  let sweeping: Promise<void> = Promise.resolve();
  let isClosed = false;

  /** The list of members is the same object until it changes. */
  async function ensureHomes(): Promise<void> {
    const present = members.teammates();
    if (present === teammates) return;
    const missing = present.map(({ name }) => name).filter((name) => !homes.has(name));
    if (missing.length > 0) await units.makeHomes({ members: missing, at: clock() });
    for (const name of missing) homes.add(name);
    teammates = present;
  }

  /** Returns the caller as it is now, because an upload may outlast a permission or the membership. */
  function present({ name }: Actor) {
    const member = members.find(name) ?? refuse('no_longer_a_member');
    return { name, permissions: [...member.permissions] };
  }

  async function callerOf(actor: Actor) {
    await ensureHomes();
    return present(actor);
  }

  function mimeTypeOf(mime: string | undefined, contentType: string | undefined): string {
    const parsed = MimeType.safeParse(mime ?? contentType ?? defaultType);
    if (!parsed.success) refuse('invalid_mime_type');
    return parsed.data;
  }

  const quota = () => ({
    bytes: config.current?.files?.maxBytesPerMember ?? limits.home.bytes,
    entries: config.current?.files?.maxEntriesPerMember ?? limits.home.entries,
  });

  const isOwn = (name: string, path: string): boolean => path.split('/')[1] === name;

  /** Returns those for whom a grant is and who are members now. */
  const readersOf = ({ readers }: Pick<ReadersOfGrant, 'readers'>): string[] =>
    readers === null
      ? members.teammates().map(({ name }) => name)
      : readers.filter((name) => members.find(name) !== undefined);

  async function readers(path: string): Promise<string[]> {
    const grants = await units.readersOn({ path, managers: members.managers() });
    const owner = members.teammates().filter(({ name }) => isOwn(name, path));
    return [
      ...new Set([...owner.map(({ name }) => name), ...members.managers(), ...grants.flatMap(readersOf)]),
    ];
  }

  async function fault(): Promise<string | null> {
    if (config.current?.files === undefined) return null;
    try {
      await blobs.open();
      return null;
    } catch (error) {
      if (error instanceof BrokerError || error instanceof StartUpError) return error.message;
      throw error;
    }
  }

  return {
    fault,
    async load() {
      if (config.current?.files === undefined) return [];
      try {
        await blobs.open();
      } catch (error) {
        if (error instanceof BrokerError) return [error.message];
        throw error;
      }
      await ensureHomes();
      sweeping = blobs
        .sweep(() => isClosed)
        .catch((err: unknown) => log.warn({ err }, 'sweeping unused file content is put off'));
      const { promise: waited, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, sweepTimeoutMs);
      await Promise.race([sweeping, waited]);
      clearTimeout(timer);
      return [];
    },
    isEnabled: () => config.current?.files !== undefined,
    refuseDisabled() {
      if (config.current?.files === undefined) refuse('files_off');
    },
    admitAttachments(sender, paths) {
      if (config.current?.files !== undefined) return;
      for (const path of paths) {
        if (isOwn(sender, path)) refuse('attachment_not_found', { path });
        refuse('attachment_unreadable');
      }
    },
    async list(actor, { path, limit, after = '' }) {
      const caller = await callerOf(actor);
      const pageAfter = (last: string) =>
        units.listDirectory({ caller, path, after: last, limit: limit ?? limits.fsListMax });
      const first = await pageAfter(after);
      if (limit !== undefined || first.length < limits.fsListMax) return { entries: first };
      return (async function* pages() {
        for (let page = first; page.length > 0; page = await pageAfter(page.at(-1)?.path ?? '')) yield page;
      })();
    },
    async stat(actor, path) {
      return { entry: await units.statEntry({ caller: await callerOf(actor), path }) };
    },
    async read(actor, path) {
      const caller = await callerOf(actor);
      for (let tries = 0; tries < maxReadTries; tries++) {
        const { entry, audited } = await units.entryToRead({ caller, path });
        const { hash, size, mimeType } = entry;
        if (hash === null || size === null || mimeType === null)
          refuse('needs_a_file', { path, act: 'downloaded' });
        if (audited !== null) await recordedReads.note({ member: caller.name, path, content: audited });
        const content = await blobs.find({ hash, size });
        if (content !== null) return { entry, mimeType, hash, content };
      }
      log.error({ path }, 'the content of a file is missing from files.root; restore it from a backup');
      return refuse('content_missing');
    },
    async write(actor, request, { body, confirm, contentType, declaredSize }) {
      const { path, mime, collide } = request;
      const mimeType = mimeTypeOf(mime, contentType);
      await units.checkWrite({
        caller: await callerOf(actor),
        path,
        collide,
        size: declaredSize ?? 0,
        quota: quota(),
      });
      const files = config.current?.files;
      const maxBytes = files === undefined ? 0 : largestFile(files);
      if (declaredSize !== null && declaredSize > maxBytes) refuse('file_too_large', { max: maxBytes });
      const { unreferenced, ...written } = await blobs.store(body, maxBytes, async (content) =>
        units.commitWrite({
          caller: present(await confirm()),
          path,
          collide,
          quota: quota(),
          content: { ...content, mimeType },
          at: clock(),
          audit: audit.entry('files_overwritten', { subject: path }),
        }),
      );
      await blobs.purge(unreferenced);
      return written;
    },
    async makeDirectory(actor, { path, recursive }) {
      const caller = await callerOf(actor);
      return { entry: await units.makeDirectory({ caller, path, recursive, at: clock(), quota: quota() }) };
    },
    async remove(actor, { path, recursive }) {
      const caller = await callerOf(actor);
      const { unreferenced } = await units.removeEntry({
        caller,
        path,
        recursive,
        audit: audit.entry('files_removed', { subject: path }),
      });
      await blobs.purge(unreferenced);
    },
    async move(actor, { from, to }) {
      const caller = await callerOf(actor);
      const moved = audit.entry('files_moved', { subject: from, after: { path: to } });
      const move = { caller, from, to, at: clock(), quota: quota(), audit: moved };
      return { entry: await units.moveEntry(move) };
    },
    async *shared(actor, { limit = Number.POSITIVE_INFINITY, after = '' }) {
      const caller = await callerOf(actor);
      let left = limit;
      for (let place: string | null = after; place !== null && left > 0; ) {
        const size = Math.min(left, sharedAtATime);
        const page: SharedFiles = await units.filesSharedWith({ caller, after: place, limit: size });
        left -= page.entries.length;
        place = page.next;
        yield page.entries;
      }
    },
    async find(actor, { q, limit, after = '' }) {
      const { examined } = limits.fsFind;
      return units.findFiles({ caller: await callerOf(actor), q, after, limit, examined });
    },
    async grants(actor, path) {
      const rows = await units.grantsOn({
        caller: await callerOf(actor),
        path,
        managers: members.managers(),
      });
      const owner = path.split('/')[1];
      const grants = rows.flatMap((row) =>
        readersOf(row)
          .filter((member) => member !== owner)
          .map((member) => ({
            member,
            messageId: row.messageId,
            objectiveId: row.objectiveId,
            grantedAt: row.grantedAt,
          })),
      );
      return { path, grants };
    },
    readers,
    async readersWithin(actor, path) {
      const request = { caller: present(actor), path, managers: members.managers() };
      const below = await units.readersBelow(request).then(
        (names) => readersOf({ readers: names }),
        // The owner and the managers hear of it all the same.
        () => [],
      );
      return [...new Set([...(await readers(path)), ...below])];
    },
    async close() {
      isClosed = true;
      await blobs.close();
      await sweeping;
    },
  };
}
