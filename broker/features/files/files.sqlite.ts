/** The filesystem in the main store. The bytes are the blob store's responsibility; here, they are a hash. */
import type Database from 'better-sqlite3';
import type { AuditEntry, AuditValues } from '#protocol/audit.ts';
import { refuse } from '#protocol/errors.ts';
import type { Collision, FsEntry, FsFound, FsWritten } from '#protocol/files.ts';
import type { AsyncUnits } from '../../storage/units.ts';
import { auditTrail } from '../audit/audit-trail.sqlite.ts';
import { type Caller, fileAccess } from './file-access.sqlite.ts';
import { nameMatcher } from './file-names.rules.ts';
import {
  type Content,
  type EntryRow,
  fileRows,
  isDirectory,
  toEntry,
  type Usage,
} from './file-rows.sqlite.ts';
import {
  ancestorsOf,
  byBytes,
  firstFree,
  homeOf,
  isInsideHome,
  numberedPath,
  ownerOf,
  parentOf,
  rangeBelow,
  rootPath,
} from './fs-path.rules.ts';
import { grantRows, type ReadersOfGrant } from './grant-rows.sqlite.ts';

export interface PathRequest {
  caller: Caller;
  path: string;
}

export interface ListRequest extends PathRequest {
  after: string;
  limit: number;
}

export interface Placement extends PathRequest {
  collide: Collision;
  /** The amount that a home may hold. */
  quota: Usage;
}

interface Finding {
  caller: Caller;
  q: string;
  /** May be empty. */
  after: string;
  limit: number;
  examined: number;
}

interface Move {
  caller: Caller;
  from: string;
  to: string;
  at: number;
  quota: Usage;
}

/**
 * Hashes that nothing refers to after the change. Their bytes may be deleted once it is committed, if that is
 * still so.
 */
export interface Released {
  unreferenced: string[];
}

export interface SharedFiles {
  entries: FsEntry[];
  /** The path after which the next page begins, null at the end. */
  next: string | null;
}

export function fileUnits(db: Database.Database) {
  const rows = fileRows(db);
  const access = fileAccess(db);
  const grants = grantRows(db);
  const trail = auditTrail(db);

  const found = (path: string): EntryRow => rows.find(path) ?? refuse('nothing_at_path', { path });

  const readersOn = (path: string, managers: readonly string[]): ReadersOfGrant[] =>
    grants.on(path).map((grant) => ({ ...grant, readers: access.readersOf(grant.audience, managers) }));

  function refuseOutsideHomes(path: string): void {
    if (!isInsideHome(path)) refuse('path_outside_homes');
    const home = homeOf(ownerOf(path));
    if (rows.find(home) === undefined) refuse('unknown_home', { home });
  }

  /** Returns the directories that are missing above a path, outermost first. */
  function missingAbove(path: string): string[] {
    return ancestorsOf(path).filter((directory) => {
      const row = rows.find(directory);
      if (row !== undefined && !isDirectory(row)) refuse('is_a_file', { path: directory });
      return row === undefined;
    });
  }

  /** Only what grows a home is refused: a home that holds too much already can still be cleared. */
  function refuseOverQuota(path: string, grown: Usage, quota: Usage): void {
    const member = ownerOf(path);
    const used = rows.usageOf(member);
    if (grown.entries > 0 && used.entries + grown.entries > quota.entries)
      refuse('too_many_entries', { member, max: quota.entries });
    if (grown.bytes > 0 && used.bytes + grown.bytes > quota.bytes)
      refuse('home_full', { member, max: quota.bytes });
  }

  /** Returns what a file of this size adds, with the directories that are missing above it. */
  const growthOf = (path: string, replaced: EntryRow | null, size: number): Usage => ({
    entries: replaced === null ? 1 + missingAbove(path).length : 0,
    bytes: size - (replaced?.size ?? 0),
  });

  function numbered(path: string): string {
    const candidate = (n: number): string => numberedPath(path, n) ?? refuse('no_free_name', { path });
    return candidate(firstFree((n) => rows.find(candidate(n)) !== undefined));
  }

  /** Returns where content that is sent to a path goes, and what it replaces there. */
  function place({ caller, path, collide }: Placement): { path: string; replaced: EntryRow | null } {
    access.refuseUnlessHeld(caller, path);
    refuseOutsideHomes(path);
    missingAbove(path);
    const present = rows.find(path);
    if (present === undefined) return { path, replaced: null };
    if (collide === 'suffix') return { path: numbered(path), replaced: null };
    if (isDirectory(present)) refuse('is_a_directory', { path });
    if (collide === 'overwrite') return { path, replaced: present };
    return refuse('name_collision', { path });
  }

  function entriesOf(paths: readonly string[]): FsEntry[] {
    return paths.flatMap((path) => rows.find(path) ?? []).map(toEntry);
  }

  /** Returns the paths of others' files that are granted to the caller, after one path and up to another. */
  function grantedTo(caller: Caller, part: { after: string; upTo?: string; limit: number }): string[] {
    if (part.limit <= 0) return [];
    const { audiences, allThreads } = access.audiencesOf(caller);
    return grants.pathsFor(audiences, allThreads, part);
  }

  /** Returns the first `limit` entries after a path that the caller can list, except homes of others: its own home, and what is granted to it. */
  function listable(caller: Caller, after: string, limit: number): EntryRow[] {
    if (access.holds(caller, rootPath)) {
      const { from, to } = rangeBelow(rootPath);
      return rows.between(byBytes(after, from) < 0 ? from : after, to, limit);
    }
    const home = rangeBelow(homeOf(caller.name));
    const granted = (part: { after: string; upTo?: string; limit: number }) =>
      grantedTo(caller, part).flatMap((path) => rows.find(path) ?? []);
    const later = (path: string) => (byBytes(after, path) < 0 ? path : after);
    const before = byBytes(after, home.from) < 0 ? granted({ after, upTo: home.from, limit }) : [];
    const own = rows.between(later(home.from), home.to, limit - before.length);
    const behind = granted({ after: later(home.to), limit: limit - before.length - own.length });
    return [...before, ...own, ...behind];
  }

  return {
    reads: {
      /**
       * Returns what matches among the next `examined` entries after a path that the caller can list, at most `limit` of them, ordered by
       * path (specification/files.md#finding).
       */
      findFiles({ caller, q, after, limit, examined }: Finding): FsFound {
        const matches = nameMatcher(q);
        const found: EntryRow[] = [];
        const candidates = listable(caller, after, examined);
        for (const row of candidates) {
          if (matches(row.path)) found.push(row);
          if (found.length === limit) return { entries: found.map(toEntry), next: row.path };
        }
        const next = candidates.length < examined ? null : (candidates.at(-1)?.path ?? null);
        return { entries: found.map(toEntry), next };
      },
      /** Ordered by name: up to `limit` entries after the one with the path `after`, which may be empty. */
      listDirectory({ caller, path, after, limit }: ListRequest): FsEntry[] {
        const view = access.view(caller, path);
        if (view === 'way') {
          const way = access.wayBelow(caller, path).filter((child) => byBytes(child, after) > 0);
          return entriesOf(way.slice(0, limit));
        }
        if (!isDirectory(found(path))) refuse('needs_a_directory', { path });
        return rows.children(path, after, limit).map(toEntry);
      },
      statEntry({ caller, path }: PathRequest): FsEntry {
        access.view(caller, path);
        return toEntry(found(path));
      },
      /** Also says what the audit log has of a read that no ownership and no grant allows; null if one does. */
      entryToRead({ caller, path }: PathRequest): { entry: FsEntry; audited: AuditValues | null } {
        access.view(caller, path);
        const row = found(path);
        return { entry: toEntry(row), audited: access.isByRight(caller, path) ? rows.contentOf(row) : null };
      },
      /**
       * Checks whether a write would be admitted, before its bytes are accepted; it is decided again together
       * with them. `size`: as declared, 0 if it is not.
       */
      checkWrite({ size, ...request }: Placement & { size: number }): void {
        const { path, replaced } = place(request);
        refuseOverQuota(path, growthOf(path, replaced, size), request.quota);
      },
      /** Files in others' homes that an attachment lets the caller read: up to `limit` after a path, ordered by path. */
      filesSharedWith({
        caller,
        after,
        limit,
      }: {
        caller: Caller;
        after: string;
        limit: number;
      }): SharedFiles {
        const home = rangeBelow(homeOf(caller.name));
        const paths =
          byBytes(after, home.from) < 0 ? grantedTo(caller, { after, upTo: home.from, limit }) : [];
        const start = byBytes(after, home.to) < 0 ? home.to : after;
        paths.push(...grantedTo(caller, { after: start, limit: limit - paths.length }));
        const entries = entriesOf(paths);
        return { entries, next: paths.length < limit ? null : (paths.at(-1) ?? null) };
      },
      /** `managers`: the holders of members.manage, who are in every thread. */
      grantsOn({ caller, path, managers }: PathRequest & { managers: string[] }): ReadersOfGrant[] {
        access.refuseUnlessHeld(caller, path);
        if (isDirectory(found(path))) refuse('needs_a_file', { path, act: 'shared' });
        return readersOn(path, managers).filter(({ audience }) => access.knows(audience, caller));
      },
      /** Returns for whom the grants on this path are; nothing if there are none, or no such file. */
      readersOn: ({ path, managers }: { path: string; managers: string[] }): ReadersOfGrant[] =>
        readersOn(path, managers),
    },
    longReads: {
      /**
       * Returns the members to whom anything below a directory is granted; null for everybody. Nobody if the caller may not
       * remove the directory.
       */
      readersBelow({ caller, path, managers }: PathRequest & { managers: string[] }): string[] | null {
        if (!access.holds(caller, path) || !isInsideHome(path)) return [];
        const readers = new Set<string>();
        for (const audience of grants.audiencesBelow(path)) {
          const names = access.readersOf(audience, managers);
          if (names === null) return null;
          for (const name of names) readers.add(name);
        }
        return [...readers];
      },
    },
    writes: {
      /** Homes exist from a member's creation (specification/files.md#paths). */
      makeHomes({ members, at }: { members: string[]; at: number }): void {
        for (const path of [rootPath, ...members.map(homeOf)]) rows.addDirectory(path, { at, by: 'system' });
      },
      commitWrite({
        content,
        at,
        audit,
        ...request
      }: Placement & { content: Content; at: number; audit: AuditEntry }): FsWritten & Released {
        const { path, replaced } = place(request);
        refuseOverQuota(path, growthOf(path, replaced, content.size), request.quota);
        const stamp = { at, by: request.caller.name };
        for (const directory of missingAbove(path)) rows.addDirectory(directory, stamp);
        if (replaced === null) rows.addFile(path, content, stamp);
        else {
          rows.replaceContent(path, content, at);
          const { size: bytes, hash } = content;
          if (!access.isOwn(request.caller, path))
            trail.append({ ...audit, before: rows.contentOf(replaced), after: { bytes, hash } });
        }
        const released = replaced?.hash ?? null;
        return {
          entry: toEntry(found(path)),
          renamed: path !== request.path,
          unreferenced: released === null ? [] : rows.unreferenced([released]),
        };
      },
      makeDirectory({
        caller,
        path,
        recursive,
        at,
        quota,
      }: PathRequest & { recursive: boolean; at: number; quota: Usage }): FsEntry {
        access.refuseUnlessHeld(caller, path);
        const present = rows.find(path);
        if (present !== undefined) {
          if (recursive && isDirectory(present)) return toEntry(present);
          refuse('path_exists', { path });
        }
        refuseOutsideHomes(path);
        const missing = missingAbove(path);
        if (missing.length > 0 && !recursive) refuse('parent_missing', { directory: parentOf(path) });
        refuseOverQuota(path, { entries: missing.length + 1, bytes: 0 }, quota);
        for (const directory of [...missing, path]) rows.addDirectory(directory, { at, by: caller.name });
        return toEntry(found(path));
      },
      removeEntry({
        caller,
        path,
        recursive,
        audit,
      }: PathRequest & { recursive: boolean; audit: AuditEntry }): Released {
        access.refuseUnlessHeld(caller, path);
        if (!isInsideHome(path)) refuse('home_is_permanent');
        const row = found(path);
        if (isDirectory(row) && !recursive && !rows.isEmpty(path)) refuse('directory_not_empty', { path });
        if (!access.isOwn(caller, path)) trail.append({ ...audit, before: rows.contentOf(row) });
        return { unreferenced: rows.remove(row) };
      },
      moveEntry({ caller, from, to, at, quota, audit }: Move & { audit: AuditEntry }): FsEntry {
        access.refuseUnlessHeld(caller, from);
        access.refuseUnlessHeld(caller, to);
        const row = found(from);
        if (isDirectory(row)) refuse('needs_a_file', { path: from, act: 'moved' });
        refuseOutsideHomes(to);
        const present = rows.find(to);
        if (present !== undefined) refuse('path_exists', { path: to });
        if (missingAbove(to).length > 0) refuse('parent_missing', { directory: parentOf(to) });
        if (ownerOf(from) !== ownerOf(to)) refuseOverQuota(to, { entries: 1, bytes: row.size ?? 0 }, quota);
        rows.move(from, to, at);
        if (!access.isOwn(caller, from)) trail.append({ ...audit, before: rows.contentOf(row) });
        return toEntry(found(to));
      },
      /**
       * Returns those of the hashes that nothing refers to at this moment. Runs on the writer, so that it is
       * true when it is answered.
       */
      unreferencedBlobs: (hashes: string[]): string[] => rows.unreferenced(hashes),
    },
  };
}
export type FileUnits = AsyncUnits<typeof fileUnits>;
