/**
 * Grants as rows: one per audience and file, which also says through which attachment it was granted first
 * (specification/files.md#grants).
 */
import type Database from 'better-sqlite3';
import { audienceOfMember, objectiveKeys } from '../scopes/scope-key.ts';
import { homeOf, rangeBelow } from './fs-path.rules.ts';

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

export function grantRows(db: Database.Database) {
  const insert = db.prepare<[string, string, string | null, string | null, number]>(
    'INSERT INTO fs_grant (audience, path, message_id, objective_id, granted_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT (audience, path) DO NOTHING',
  );
  const byPath = db.prepare<[string], GrantRow>(
    'SELECT audience, message_id AS messageId, objective_id AS objectiveId, granted_at AS grantedAt FROM fs_grant WHERE path = ? ORDER BY audience',
  );
  const byAudience = db.prepare<[string], { path: string }>('SELECT path FROM fs_grant WHERE audience = ?');
  const byThread = db
    .prepare<[string, string], string>('SELECT path FROM fs_grant WHERE audience > ? AND audience < ?')
    .pluck();
  const removeOf = db.prepare<[string]>('DELETE FROM fs_grant WHERE audience = ?');
  const removeUnusedHome = db.prepare<[string, string, string]>(
    'DELETE FROM fs_entry WHERE path = ? AND NOT EXISTS (SELECT 1 FROM fs_entry WHERE path > ? AND path < ?)',
  );
  return {
    add(path: string, { audience, messageId, objectiveId, grantedAt }: GrantRow): void {
      insert.run(audience, path, messageId, objectiveId, grantedAt);
    },
    on: (path: string): GrantRow[] => byPath.all(path),
    /** What any thread shares, because managers are in all of them. */
    pathsForThreads: (): string[] => byThread.all(objectiveKeys.after, objectiveKeys.before),
    pathsFor: (audience: string): string[] => byAudience.all(audience).map(({ path }) => path),
    /**
     * What ends with a member: what others let it read, and its home if that is empty. Its files stay
     * (specification/members.md#removing-a-member).
     */
    forgetMember(member: string): void {
      removeOf.run(audienceOfMember(member));
      const { from, to } = rangeBelow(homeOf(member));
      removeUnusedHome.run(homeOf(member), from, to);
    },
  };
}
