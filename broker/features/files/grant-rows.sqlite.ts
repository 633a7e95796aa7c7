/**
 * Grants as rows: one per audience and file, which also says through which attachment it was granted first
 * (specification/files.md#grants).
 */
import type Database from 'better-sqlite3';
import { audienceOfMember, objectiveKeys } from '../scopes/scope-key.ts';
import { byBytes, homeOf, rangeBelow } from './fs-path.rules.ts';

export interface GrantRow {
  /** The stored form of the audience; see `scopes/scope-key.ts`. */
  audience: string;
  messageId: string | null;
  objectiveId: string | null;
  /** Epoch ms. */
  grantedAt: number;
}

/** A grant with its readers at this moment; null for everybody. */
export interface ReadersOfGrant extends GrantRow {
  readers: string[] | null;
}

/** Paths begin with a slash, and no character sorts after this one. */
const afterEveryPath = '\u{10FFFF}';

export function grantRows(db: Database.Database) {
  const insert = db.prepare<[string, string, string | null, string | null, number, string | null]>(
    `INSERT INTO fs_grant (audience, path, message_id, objective_id, granted_at, shared_by_right) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (audience, path) DO UPDATE SET shared_by_right = NULL WHERE excluded.shared_by_right IS NULL`,
  );
  const byPath = db.prepare<[string], GrantRow>(
    'SELECT audience, message_id AS messageId, objective_id AS objectiveId, granted_at AS grantedAt FROM fs_grant WHERE path = ? ORDER BY audience',
  );
  const belowPath = db
    .prepare<[string, string], string>('SELECT audience FROM fs_grant WHERE path > ? AND path < ?')
    .pluck();
  // One statement for all audiences: most have nothing, and asking for each one alone takes forty times as long.
  const withGrants = db
    .prepare<[string, string, string], string>(
      `SELECT value FROM json_each(?)
       WHERE EXISTS (SELECT 1 FROM fs_grant WHERE audience = value AND path > ? AND path <= ?)`,
    )
    .pluck();
  const byAudience = db
    .prepare<[string, string, string, number], string>(
      'SELECT path FROM fs_grant WHERE audience = ? AND path > ? AND path <= ? ORDER BY path LIMIT ?',
    )
    .pluck();
  // With the condition of the partial index fs_grant_of_threads.
  const byThread = db
    .prepare<[string, string, number], string>(
      `SELECT DISTINCT path FROM fs_grant
       WHERE path > ? AND path <= ? AND audience > '${objectiveKeys.after}' AND audience < '${objectiveKeys.before}'
       ORDER BY path LIMIT ?`,
    )
    .pluck();
  const removeOf = db.prepare<[string]>('DELETE FROM fs_grant WHERE audience = ?');
  const removeUnusedHome = db.prepare<[string, string, string]>(
    'DELETE FROM fs_entry WHERE path = ? AND NOT EXISTS (SELECT 1 FROM fs_entry WHERE path > ? AND path < ?)',
  );
  return {
    /** `sharedByRight`: the sender, if only the right of a manager lets it read the file; null otherwise. */
    add(
      path: string,
      { audience, messageId, objectiveId, grantedAt }: GrantRow,
      sharedByRight: string | null,
    ): void {
      insert.run(audience, path, messageId, objectiveId, grantedAt, sharedByRight);
    },
    on: (path: string): GrantRow[] => byPath.all(path),
    /** Returns the audiences to which anything below a directory is granted. */
    audiencesBelow(directory: string): string[] {
      const { from, to } = rangeBelow(directory);
      // SQLite would sort all rows to leave out repetitions.
      return [...new Set(belowPath.iterate(from, to))];
    },
    /**
     * Returns the first `limit` paths after one, up to another, that are granted to any of the audiences, and with `allThreads` to any
     * thread, in order. Each audience is read only up to the last path that can still be among them.
     */
    pathsFor(
      audiences: readonly string[],
      allThreads: boolean,
      { after, upTo = afterEveryPath, limit }: { after: string; upTo?: string; limit: number },
    ): string[] {
      let bound = upTo;
      let paths = new Set(allThreads ? byThread.all(after, bound, limit) : []);
      function trim(): void {
        paths = new Set([...paths].sort(byBytes).slice(0, limit));
        if (paths.size === limit) bound = [...paths].at(-1) ?? bound;
      }
      for (const audience of withGrants.all(JSON.stringify(audiences), after, bound)) {
        for (const path of byAudience.all(audience, after, bound, limit)) paths.add(path);
        if (paths.size >= 2 * limit || (bound === upTo && paths.size >= limit)) trim();
      }
      trim();
      return [...paths];
    },
    /**
     * Removes what ends with a member: what others let it read, and its home if that is empty. Its files stay
     * (specification/members.md#removing-a-member).
     */
    forgetMember(member: string): void {
      removeOf.run(audienceOfMember(member));
      const { from, to } = rangeBelow(homeOf(member));
      removeUnusedHome.run(homeOf(member), from, to);
    },
  };
}
