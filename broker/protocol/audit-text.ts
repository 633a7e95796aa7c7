/**
 * The text of a record of which the hash is computed. Without zod, because store threads load it and need no
 * schemas (ADR 0013).
 */
import type { AuditRecord } from './audit.ts';

/** Returns JSON with the keys of every object in order, so that equal values have equal texts. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, part]) => `${JSON.stringify(key)}:${canonicalJson(part)}`).join(',')}}`;
}

/**
 * Returns the text whose SHA-256, as UTF-8, is the hash of a record (specification/audit.md#the-chain).
 */
export function auditText(record: Omit<AuditRecord, 'hash'>): string {
  const { seq, at, kind, via, member, credential, address, subject, before, after, previous } = record;
  return canonicalJson({
    seq,
    at,
    kind,
    via,
    member,
    credential: credential && { plane: credential.plane, id: credential.id },
    address,
    subject,
    before,
    after,
    previous,
  });
}
