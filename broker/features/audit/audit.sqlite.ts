/** The audit log in the main store: adding to it and reading it (specification/audit.md). */
import type Database from 'better-sqlite3';
import type { AuditEntry, AuditHead, AuditPage, AuditQuery } from '#protocol/audit.ts';
import { refuse } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import type { AsyncUnits } from '../../storage/units.ts';
import {
  type AuditedConfiguration,
  type AuditedMember,
  type AuditedState,
  changesBetween,
  emptyConfiguration,
} from './audit-configuration.rules.ts';
import { auditTrail } from './audit-trail.sqlite.ts';

interface MemberRow {
  name: string;
  /** JSON, without secrets. */
  content: string;
}
type MemberByName = AuditedConfiguration['memberByName'];

/** The origin of a change of the configuration: who made it, and when. */
export type ConfigurationOrigin = Pick<AuditEntry, 'at' | 'via' | 'member' | 'credential' | 'address'>;

const { scanned } = limits.audit;

export function auditUnits(db: Database.Database) {
  const trail = auditTrail(db);
  const recorded = db.prepare<[], string>('SELECT content FROM audited_configuration WHERE only = 1').pluck();
  const keep = db.prepare<[string]>(
    'INSERT INTO audited_configuration (only, content) VALUES (1, ?) ON CONFLICT (only) DO UPDATE SET content = excluded.content',
  );

  const allMembers = db.prepare<[], MemberRow>('SELECT name, content FROM audited_member');
  const memberOf = db.prepare<[string], MemberRow>('SELECT name, content FROM audited_member WHERE name = ?');
  const keepMember = db.prepare<[string, string]>(
    'INSERT INTO audited_member (name, content) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET content = excluded.content WHERE content <> excluded.content',
  );
  const forgetMember = db.prepare<[string]>('DELETE FROM audited_member WHERE name = ?');

  /** Returns those of the named members who are recorded; all if null. */
  function recordedMembers(names: string[] | null): MemberByName {
    const rows = names === null ? allMembers.all() : names.flatMap((name) => memberOf.all(name));
    return Object.fromEntries(rows.map(({ name, content }) => [name, JSON.parse(content) as AuditedMember]));
  }

  function keepMembers(before: MemberByName, after: MemberByName): void {
    for (const name of Object.keys(before)) if (!Object.hasOwn(after, name)) forgetMember.run(name);
    for (const [name, member] of Object.entries(after)) keepMember.run(name, JSON.stringify(member));
  }

  const kindAt = db.prepare<[number], string>('SELECT kind FROM audit WHERE seq = ?').pluck();
  const acknowledged = db.prepare<{ seq: number }>(
    `SELECT 1 FROM audit WHERE seq > :seq AND kind = 'audit_cut_acknowledged' AND before ->> 'seq' = :seq LIMIT 1`,
  );

  return {
    reads: {
      /** Reads at most `limits.audit.scanned` records, whatever the filters match. Positions have no gaps. */
      auditPage: ({ before, after, kind, member, since, until, limit }: AuditQuery): AuditPage => {
        const [first, head] = [trail.first(), trail.head()];
        const isForward = after !== undefined;
        const newest = Math.min(before ?? Number.MAX_SAFE_INTEGER, head.seq + 1) - 1;
        const oldest = Math.max(after ?? 0, first.seq) + 1;
        const from = isForward ? oldest : Math.max(oldest, newest - scanned + 1);
        const to = isForward ? Math.min(newest, oldest + scanned - 1) : newest;
        const records = trail.matching(
          {
            from,
            to,
            kind: kind ?? null,
            member: member ?? null,
            since: since ?? 0,
            until: until ?? Number.MAX_SAFE_INTEGER,
            limit,
          },
          isForward ? 'oldest first' : 'newest first',
        );
        const last = records.length === limit ? records.at(-1)?.seq : undefined;
        const isEnd = to - from + 1 < scanned;
        return { records, next: last ?? (isEnd ? null : isForward ? to : from), first, head };
      },
    },
    upkeep: {
      auditHead: (): AuditHead => trail.head(),
      /** Whether the log contains the record, or began with it, before retention removed it. */
      auditContains: (record: AuditHead): boolean => trail.contains(record),
    },
    writes: {
      appendAudit: (entry: AuditEntry): void => trail.append(entry),
      /** @throws BrokerError unknown_audit_cut. */
      acknowledgeAuditCut: ({ seq, entry }: { seq: number; entry: AuditEntry }): void => {
        if (kindAt.get(seq) !== 'audit_cut') refuse('unknown_audit_cut', { seq: String(seq) });
        if (acknowledged.get({ seq }) === undefined) trail.append(entry);
      },
      /**
       * Records what changed since the configuration was last recorded. The first time that a start finds a
       * configuration, it is the state from which the log begins.
       */
      auditConfiguration: ({
        configuration,
        touched,
        origin,
      }: AuditedState & { origin: ConfigurationOrigin }): void => {
        const known = recorded.get();
        const memberByName = recordedMembers(touched);
        if (known === undefined && origin.via === 'file') {
          const members = Object.keys(configuration.memberByName);
          const managers = members.filter((name) =>
            configuration.memberByName[name]?.permissions.includes('members.manage'),
          );
          trail.append({
            ...origin,
            kind: 'audit_started',
            subject: null,
            before: null,
            after: { members, managers },
          });
        } else {
          const before =
            known === undefined
              ? emptyConfiguration
              : { ...(JSON.parse(known) as AuditedConfiguration), memberByName };
          for (const change of changesBetween(before, configuration)) trail.append({ ...origin, ...change });
        }
        const content = JSON.stringify({ ...configuration, memberByName: {} });
        if (content !== known) keep.run(content);
        keepMembers(memberByName, configuration.memberByName);
      },
    },
  };
}
export type AuditUnits = AsyncUnits<typeof auditUnits>;
