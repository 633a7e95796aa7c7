/**
 * Decides who may see which path (specification/files.md#access). Whether a path exists is never checked before the
 * caller may know: what is refused is refused alike, with the same steps, whether it exists or not.
 */
import type Database from 'better-sqlite3';
import { isAllowed, type Leaf } from '#protocol/access.ts';
import { refuse } from '#protocol/errors.ts';
import { fileRules } from '#protocol/file-access.ts';
import { formatScope } from '#protocol/scope.ts';
import { scopeAccess, sharingThreadKeysOf } from '../scopes/scope-access.sqlite.ts';
import { audienceOfMember, parseAudience } from '../scopes/scope-key.ts';
import { byBytes, childTowards, homeOf, ownerOf, rangeBelow, rootPath } from './fs-path.rules.ts';

export interface Caller {
  name: string;
  permissions: readonly Leaf[];
}

const everybody = formatScope({ kind: 'general' });

/** No path contains a control character, so nothing lies between a path and this after it. */
const afterPath = '\u0001';

/** The part of a path that a caller sees: everything below it, one file, or only the way to files below it. */
export type View = 'whole' | 'file' | 'way';

export function fileAccess(db: Database.Database) {
  const statementsFor = (condition: string) => ({
    on: db.prepare<[string, string]>(`SELECT 1 FROM fs_grant WHERE audience = ? AND path = ? ${condition}`),
    audiences: db
      .prepare<[string], string>(`SELECT audience FROM fs_grant WHERE path = ? ${condition}`)
      .pluck(),
  });
  const anyGrants = statementsFor('');
  const ownersGrants = statementsFor('AND shared_by_right IS NULL');
  // One statement, because asking for each audience alone takes eight times as long.
  const firstGrants = db.prepare<[string, string, string], Head>(
    `SELECT audience, first AS path FROM
       (SELECT json_each.value AS audience,
          (SELECT path FROM fs_grant WHERE fs_grant.audience = json_each.value AND path >= ? AND path < ? ORDER BY path LIMIT 1) AS first
        FROM json_each(?))
     WHERE first IS NOT NULL`,
  );
  const nextGrant = db.prepare<[string, string, string], { path: string }>(
    'SELECT path FROM fs_grant WHERE audience = ? AND path >= ? AND path < ? ORDER BY path LIMIT 1',
  );
  const scopes = scopeAccess(db);
  // Most threads share nothing, and each audience is checked for every requested path.
  const sharingThreadsOf = sharingThreadKeysOf(db);

  const audiencesBesideThreads = (member: string): string[] => [
    everybody,
    audienceOfMember(member),
    ...scopes.channelKeysOf(member),
  ];

  /**
   * Every audience to which a member belongs at this moment and that may have been granted something. A
   * member with many objectives has a long list: for one path, use isGranted.
   */
  const audiencesOf = (member: string): string[] => [
    ...audiencesBesideThreads(member),
    ...sharingThreadsOf(member),
  ];

  const isOwn = (caller: Caller, path: string): boolean => path !== rootPath && ownerOf(path) === caller.name;

  const holds = (caller: Caller, path: string): boolean =>
    isAllowed(fileRules.write, caller.permissions, isOwn(caller, path) ? ['owner'] : []);

  /** Starts from the grants on the path, which are few, while a member may be in many groups. */
  function isGranted(member: string, path: string, { on, audiences } = anyGrants): boolean {
    const direct = [everybody, audienceOfMember(member)];
    if (direct.some((audience) => on.get(audience, path) !== undefined)) return true;
    // Managers read every file without a grant.
    const reader = { name: member, isManager: false };
    for (const audience of audiences.iterate(path))
      if (parseAudience(audience).kind !== 'member' && scopes.mayRead(audience, reader)) return true;
    return false;
  }

  function leadsToGranted(member: string, path: string): boolean {
    const { from, to } = rangeBelow(path);
    return firstGrants.get(from, to, JSON.stringify(audiencesOf(member))) !== undefined;
  }

  return {
    /** Every audience to which the caller belongs at this moment; `allThreads` stands for those of all threads, which managers are in. */
    audiencesOf({ name, permissions }: Caller): { audiences: string[]; allThreads: boolean } {
      const allThreads = permissions.includes('members.manage');
      return { audiences: allThreads ? audiencesBesideThreads(name) : audiencesOf(name), allThreads };
    },
    /**
     * Returns the members in an audience at this moment; null for everybody. `managers`: the holders of
     * members.manage.
     */
    readersOf(audience: string, managers: readonly string[]): string[] | null {
      const parsed = parseAudience(audience);
      return parsed.kind === 'member' ? [parsed.member] : scopes.readersOf(audience, managers);
    },
    /** Whether the caller may learn that something is shared with this audience. */
    knows: (audience: string, { name, permissions }: Caller): boolean =>
      parseAudience(audience).kind === 'member' ||
      scopes.knows(audience, { name, isManager: permissions.includes('members.manage') }),
    isOwn,
    /** True in the caller's own home, and everywhere for managers. */
    holds,
    isGranted: (caller: Caller, path: string): boolean => isGranted(caller.name, path),
    /** Whether a caller who may read a file may do so only by the right of a manager, itself or who shared the file. */
    isByRight: (caller: Caller, path: string): boolean =>
      !isOwn(caller, path) && !isGranted(caller.name, path, ownersGrants),
    /** @throws BrokerError forbidden, whether the path exists or not. */
    refuseUnlessHeld(caller: Caller, path: string): void {
      if (!holds(caller, path)) refuse('not_your_home');
    },
    /** @throws BrokerError forbidden, whether the path exists or not. */
    view(caller: Caller, path: string): View {
      if (holds(caller, path)) return 'whole';
      if (path === rootPath) return 'way';
      if (isGranted(caller.name, path)) return 'file';
      if (leadsToGranted(caller.name, path)) return 'way';
      return refuse('path_not_shared');
    },
    /**
     * Returns the children of a directory that lead to granted files, and for the root also the caller's own
     * home, ordered by bytes as SQLite orders them. It merges the audiences and queries each one again only
     * when its last result has been passed, so that many audiences and many children do not multiply.
     */
    wayBelow(caller: Caller, directory: string): string[] {
      const found = new Set(directory === rootPath ? [homeOf(caller.name)] : []);
      const { from, to } = rangeBelow(directory);
      const next = (audience: string, at: string): Head[] => {
        const path = nextGrant.get(audience, at, to)?.path;
        return path === undefined ? [] : [{ audience, path }];
      };
      const heads = firstGrants
        .all(from, to, JSON.stringify(audiencesOf(caller.name)))
        .sort((a, b) => byBytes(a.path, b.path));
      for (let first = heads[0]; first !== undefined; first = heads[0]) {
        const child = childTowards(directory, first.path);
        found.add(child);
        const after = child === first.path ? child + afterPath : rangeBelow(child).to;
        const behind = heads.splice(0, placeFor(heads, after));
        for (const head of behind.flatMap(({ audience }) => next(audience, after)))
          heads.splice(placeFor(heads, head.path), 0, head);
      }
      return [...found].sort(byBytes);
    },
  };
}

/** The next granted path of an audience. */
interface Head {
  audience: string;
  path: string;
}

/** Returns how many of the heads, which are in order, come before a path. */
function placeFor(heads: readonly Head[], path: string): number {
  let [low, high] = [0, heads.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (byBytes(heads[middle]?.path ?? '', path) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
