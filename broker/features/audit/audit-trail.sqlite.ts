/** The table of the audit log, for units of all features inside their own transaction (specification/audit.md). */
import type Database from 'better-sqlite3';
import type { AuditEntry, AuditHead, AuditRecord } from '#protocol/audit.ts';
import { auditHash } from '../../security/audit-chain.ts';

interface AuditRow extends Pick<AuditRecord, 'seq' | 'at' | 'kind' | 'via' | 'member'> {
  plane: 'bearer' | 'session' | 'jwt' | null;
  credential: string | null;
  address: string | null;
  subject: string | null;
  before: string | null;
  after: string | null;
  previous: string;
  hash: string;
}

/** A filter that is null fits every record. Positions `from` and `to` are included, the time `until` is not. */
export interface AuditFilters {
  from: number;
  to: number;
  kind: string | null;
  /** The member who made the change, or whom it is about. */
  member: string | null;
  since: number;
  until: number;
  limit: number;
}

const columns =
  'seq, at, kind, via, member, plane, credential, address, subject, before, after, previous, hash';

function recordOf({ plane, credential, before, after, ...row }: AuditRow): AuditRecord {
  return {
    ...row,
    credential: plane === null || credential === null ? null : { plane, id: credential },
    before: before === null ? null : JSON.parse(before),
    after: after === null ? null : JSON.parse(after),
  };
}

export function auditTrail(db: Database.Database) {
  const newest = db.prepare<[], AuditHead>('SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1');
  const floor = db.prepare<[], AuditHead>('SELECT seq, hash FROM audit_floor WHERE only = 1');
  const insert = db.prepare<AuditRow>(
    `INSERT INTO audit (seq, at, kind, via, member, plane, credential, address, subject, before, after, previous, hash)
     VALUES (:seq, :at, :kind, :via, :member, :plane, :credential, :address, :subject, :before, :after, :previous, :hash)`,
  );

  const matching = `SELECT ${columns} FROM audit
     WHERE seq BETWEEN :from AND :to AND (:kind IS NULL OR kind = :kind)
       AND (:member IS NULL OR member = :member OR subject = :member) AND at >= :since AND at < :until`;
  const newer = db.prepare<[number], AuditRow>(`SELECT ${columns} FROM audit WHERE seq > ? ORDER BY seq`);
  const newestFirst = db.prepare<AuditFilters, AuditRow>(`${matching} ORDER BY seq DESC LIMIT :limit`);
  const oldestFirst = db.prepare<AuditFilters, AuditRow>(`${matching} ORDER BY seq LIMIT :limit`);

  const oldest = db.prepare<[number, number], Pick<AuditRecord, 'seq' | 'at' | 'hash'>>(
    'SELECT seq, at, hash FROM audit WHERE seq > ? ORDER BY seq LIMIT ?',
  );
  const hashAt = db.prepare<[number], string>('SELECT hash FROM audit WHERE seq = ?').pluck();
  const raiseFloor = db.prepare<AuditHead>('UPDATE audit_floor SET seq = :seq, hash = :hash WHERE only = 1');
  const removeUpTo = db.prepare<[number]>('DELETE FROM audit WHERE seq <= ?');

  /** Returns the place before the oldest record. */
  function first(): AuditHead {
    const found = floor.get();
    if (found === undefined) throw new Error('the audit log has no floor');
    return found;
  }

  /** Whether this was the newest record once: it is there, or it was removed from the beginning. */
  function contains({ seq, hash }: AuditHead): boolean {
    const start = first();
    if (seq <= start.seq) return seq < start.seq || hash === start.hash;
    return hashAt.get(seq) === hash;
  }

  const head = (): AuditHead => newest.get() ?? first();

  function append(entry: AuditEntry): void {
    const last = head();
    const record = { ...entry, seq: last.seq + 1, previous: last.hash };
    const hash = auditHash(record);
    const { credential, before, after } = record;
    insert.run({
      ...record,
      plane: credential?.plane ?? null,
      credential: credential?.id ?? null,
      before: before && JSON.stringify(before),
      after: after && JSON.stringify(after),
      hash,
    });
  }

  return {
    first,
    /** Returns the newest record, or the place before the oldest one if there is none. */
    head,
    contains,
    append,
    /** Returns up to `limit` records, oldest first. */
    oldest: (limit: number) => oldest.all(first().seq, limit),
    /** Removes every record up to this one. The chain begins after it from now on. */
    removeUpTo({ seq, hash }: AuditHead): void {
      raiseFloor.run({ seq, hash });
      removeUpTo.run(seq);
    },
    /** Yields the records after `seq`, oldest first. */
    *forward(seq: number): Generator<AuditRecord> {
      for (const row of newer.iterate(seq)) yield recordOf(row);
    },
    /** Returns the records that fit, from the newest or from the oldest on. */
    matching: (filters: AuditFilters, order: 'newest first' | 'oldest first'): AuditRecord[] =>
      (order === 'newest first' ? newestFirst : oldestFirst).all(filters).map(recordOf),
  };
}
