/**
 * Determines which token rows must exist. The primary token's hash is in the configuration file; enrolled tokens are
 * rows of the store (specification/authentication.md#tokens).
 */

import type { MemberName } from '#protocol/ids.ts';
import { limits } from '#protocol/limits.ts';
import type { TokenInfo } from '#protocol/token.ts';

/** `run`: of a run, shown as `enroll`, because the origins on the wire are fixed. */
export type TokenOrigin = TokenInfo['origin'] | 'run';

export interface TokenRow {
  /** A UUID. */
  id: string;
  member: string;
  /** `sha256:<hex>`. */
  hash: string;
  label: string;
  origin: TokenOrigin;
  createdAt: number;
  createdBy: string | null;
  lastUsedAt: number | null;
  /** From where it was used last. */
  lastAddress?: string | null;
  expiresAt: number | null;
  /** The id of the row with which a rotation replaces this one. */
  replacedBy?: string | null;
}

/** Returns what callers see of a token: no hash, and no plaintext. */
export function tokenInfo(row: TokenRow): TokenInfo {
  const { id, member, label, createdAt, lastUsedAt, expiresAt, createdBy } = row;
  const origin = row.origin === 'run' ? 'enroll' : row.origin;
  const memberName = member as MemberName;
  return { id, memberName, label, origin, createdAt, lastUsedAt, expiresAt, createdBy };
}

/**
 * Returns the row as it is after the broker did not run: a run could not renew its token, so one that expired
 * meanwhile gets a respite.
 */
export function afterStandstill(row: TokenRow, now: number): TokenRow {
  if (row.origin !== 'run' || row.expiresAt === null || row.expiresAt > now) return row;
  return { ...row, expiresAt: now + limits.run.respiteMs };
}

export interface Primary {
  member: string;
  hash: string;
}

/**
 * Returns a UUID derived from the hash, so that the row of a token found in the configuration has the same id
 * at every start.
 */
export function idOfHash(hash: string): string {
  const hex = hash.replace(/^sha256:/, '');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/**
 * Brings the rows in line with the configuration at start: a primary hash without a row gets one (origin
 * `bootstrap`); a primary row whose hash is no longer its member's, and every row of a member who is gone, is
 * removed. Members' enrolled tokens and tokens of runs stay.
 */
export function reconcileTokens(
  rows: readonly TokenRow[],
  primaries: readonly Primary[],
  members: ReadonlySet<string>,
  now: number,
): { remove: string[]; insert: TokenRow[] } {
  const memberByHash = new Map(primaries.map(({ member, hash }) => [hash, member]));
  const hashById = new Map(rows.map(({ id, hash }) => [id, hash]));
  const isPrimaryOf = (hash: string | undefined, member: string) =>
    hash !== undefined && memberByHash.get(hash) === member;
  const isCurrent = (row: TokenRow) => {
    if (!members.has(row.member)) return false;
    if (isPrimaryOf(row.hash, row.member)) return true;
    if (!['enroll', 'run'].includes(row.origin) || memberByHash.has(row.hash)) return false;
    return row.replacedBy == null || !isPrimaryOf(hashById.get(row.replacedBy), row.member);
  };
  const kept = new Set(rows.filter(isCurrent).map((row) => row.hash));
  return {
    remove: rows.filter((row) => !isCurrent(row)).map((row) => row.id),
    insert: primaries
      .filter(({ hash }) => !kept.has(hash))
      .map(({ member, hash }) => ({
        id: idOfHash(hash),
        member,
        hash,
        label: '',
        origin: 'bootstrap',
        createdAt: now,
        createdBy: null,
        lastUsedAt: null,
        expiresAt: null,
      })),
  };
}
