/**
 * The main store's facts about the kinds of members: since when runs work as them, and what an operator decided
 * (specification/members.md#kinds). A member without a row never ran, and nobody decided.
 */
import type Database from 'better-sqlite3';
import type { AuditEntry } from '#protocol/audit.ts';
import type { MemberKind } from '#protocol/member-kind.ts';
import type { AsyncUnits } from '../../storage/units.ts';
import { auditTrail } from '../audit/audit-trail.sqlite.ts';

export interface KindRow {
  member: string;
  /** When a run of the member was first known, epoch ms; null if none was. */
  ranAt: number | null;
  kind: MemberKind | null;
}

/** For units of other features, which learn of a run or remove a member in their own transaction. */
export function kindRows(db: Database.Database) {
  const ran = db.prepare<[string, number]>(
    `INSERT INTO member_kind (member, ran_at) VALUES (?, ?)
     ON CONFLICT (member) DO UPDATE SET ran_at = excluded.ran_at WHERE ran_at IS NULL`,
  );
  const removeOf = db.prepare<[string]>('DELETE FROM member_kind WHERE member = ?');
  return {
    ran: (member: string, at: number): void => void ran.run(member, at),
    removeOf: (member: string): void => void removeOf.run(member),
  };
}

export function kindUnits(db: Database.Database) {
  const all = db.prepare<[], KindRow>('SELECT member, ran_at AS ranAt, kind FROM member_kind');
  const set = db.prepare<[string, MemberKind | null]>(
    `INSERT INTO member_kind (member, kind) VALUES (?, ?)
     ON CONFLICT (member) DO UPDATE SET kind = excluded.kind`,
  );
  const trail = auditTrail(db);
  return {
    reads: {},
    upkeep: { allKinds: (): KindRow[] => all.all() },
    writes: {
      setMemberKind: (input: { member: string; kind: MemberKind | null; audit: AuditEntry }): void => {
        set.run(input.member, input.kind);
        trail.append(input.audit);
      },
    },
  };
}
export type KindUnits = AsyncUnits<typeof kindUnits>;
