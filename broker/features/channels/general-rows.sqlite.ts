/**
 * Since when each member has been in `general`, which has no other rows: everybody is in it from creation to
 * removal (specification/channels.md#channel).
 */
import type Database from 'better-sqlite3';

export interface GeneralMember {
  member: string;
  joinedAt: number;
}

export function generalRows(db: Database.Database) {
  const all = db.prepare<[], GeneralMember>('SELECT member, joined_at AS joinedAt FROM general_member');
  const insert = db.prepare<[string, number]>(
    'INSERT INTO general_member (member, joined_at) VALUES (?, ?) ON CONFLICT (member) DO NOTHING',
  );
  const joinedAt = db
    .prepare<[string], number>('SELECT joined_at FROM general_member WHERE member = ?')
    .pluck();
  const remove = db.prepare<[string]>('DELETE FROM general_member WHERE member = ?');
  return {
    all: (): GeneralMember[] => all.all(),
    isIn: (member: string): boolean => joinedAt.get(member) !== undefined,
    /** Epoch ms; 0 for a member without a record. */
    joinedAt: (member: string): number => joinedAt.get(member) ?? 0,
    /** A member who is already in keeps its time. */
    bringIn: (member: string, at: number): void => void insert.run(member, at),
    letGo: (member: string): void => void remove.run(member),
  };
}
