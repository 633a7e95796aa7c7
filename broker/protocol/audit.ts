/** The audit log: what changed in the security of the team, as a chain of records (specification/audit.md). */
import { z } from 'zod';
import { auditKinds } from './audit-kinds.ts';
import { queryInteger, Timestamp } from './ids.ts';
import { limits } from './limits.ts';
import { text } from './text.ts';

export const AuditKind = z.enum(auditKinds);
export type AuditKind = z.infer<typeof AuditKind>;

/**
 * How the broker learned of a change. `request`: a request made it. `host`: the program that hosts the broker
 * made it, such as the switch of the desktop app. `file`: a start found it in the configuration file, so it
 * was made by hand, by a command, or by a request that was cut off before it was recorded.
 */
export const AuditVia = z.enum(['request', 'host', 'file']);
export type AuditVia = z.infer<typeof AuditVia>;

/** Values before or after a change, by the name of the field. They never hold a secret. */
export const AuditValues = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())]),
);
export type AuditValues = z.infer<typeof AuditValues>;

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hex digits');

/**
 * `member`, `credential`, and `address` say who made the change, with what, and from where; each is null if
 * it is not known. `subject` is the member, path, or address that the change is about. `previous` is the
 * `hash` of the record before, and `hash` covers `previous` and all other fields.
 */
export const AuditRecord = z
  .object({
    seq: z.int().positive(),
    at: Timestamp,
    kind: AuditKind,
    via: AuditVia,
    member: z.string().nullable(),
    credential: z.object({ plane: z.enum(['bearer', 'session', 'jwt']), id: z.string() }).nullable(),
    address: z.string().nullable(),
    subject: z.string().nullable(),
    before: AuditValues.nullable(),
    after: AuditValues.nullable(),
    previous: Sha256,
    hash: Sha256,
  })
  .meta({ id: 'AuditRecord' });
export type AuditRecord = z.infer<typeof AuditRecord>;

/** A record before it gets its place in the chain. */
export type AuditEntry = Omit<AuditRecord, 'seq' | 'previous' | 'hash'>;

/** The newest record. Someone who keeps it elsewhere can later prove that nothing up to it was changed. */
export const AuditHead = z.object({ seq: z.int().nonnegative(), hash: Sha256 }).meta({ id: 'AuditHead' });
export type AuditHead = z.infer<typeof AuditHead>;

/** The head of a chain without records. */
export const emptyAuditHead: AuditHead = { seq: 0, hash: '0'.repeat(64) };

const position = queryInteger(0, Number.MAX_SAFE_INTEGER);

/**
 * `before` (the default, from the newest on) reads backward, and `after` reads forward. `member` is who made
 * a change or whom it is about. `since` and `until` are times, the latter exclusive.
 */
export const AuditQuery = z
  .object({
    before: position.optional(),
    after: position.optional(),
    kind: AuditKind.optional(),
    member: text(1, limits.memberName).optional(),
    since: position.optional(),
    until: position.optional(),
    limit: queryInteger(1, limits.audit.pageMax).default(limits.audit.pageDefault),
  })
  .refine(({ before, after }) => before === undefined || after === undefined, {
    error: 'must have only one of before and after',
  });
export type AuditQuery = z.infer<typeof AuditQuery>;

/** `seq`: of the record `audit_cut`. */
export const AuditCutParams = z.object({ seq: queryInteger(1, Number.MAX_SAFE_INTEGER) });

/**
 * A page may have fewer records than requested, even none, and still have a `next`: the value of `before` or
 * `after` for the page that follows. `first` is the place of the chain before its oldest record.
 */
export const AuditPage = z
  .object({
    records: z.array(AuditRecord),
    next: z.int().nonnegative().nullable(),
    first: AuditHead,
    head: AuditHead,
  })
  .meta({ id: 'AuditPage' });
export type AuditPage = z.infer<typeof AuditPage>;
