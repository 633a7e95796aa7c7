/**
 * Bearer tokens, held by their hashes. A header that was seen before is answered from a map, so an ordinary
 * request costs no hash and no query (specification/authentication.md#tokens).
 */
import { randomUUID } from 'node:crypto';
import type { AuditEntry } from '#protocol/audit.ts';
import type { MemberName } from '#protocol/ids.ts';
import { limits } from '#protocol/limits.ts';
import type { TokenInfo } from '#protocol/token.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Expiries } from '../../runtime/expiries.ts';
import { hashToken, mintToken } from '../../security/token.ts';
import {
  afterStandstill,
  type Primary,
  reconcileTokens,
  type TokenOrigin,
  type TokenRow,
  tokenInfo,
} from './tokens.rules.ts';
import type { TokenUnits } from './tokens.sqlite.ts';

export interface NewToken {
  member: MemberName;
  origin: TokenOrigin;
  label: string;
  /** The member who requested it. */
  createdBy: string | null;
  expiresAt: number | null;
}

export interface Tokens {
  /**
   * Returns the live token with this plaintext; null if there is none or it has expired. `address`: from where it is used; left
   * out if that is not a use.
   */
  identify(
    plaintext: string,
    address?: string,
  ): (Pick<TokenRow, 'id' | 'expiresAt'> & { member: MemberName; isRun: boolean }) | null;
  /** Reads the rows and brings them in line with the configuration, at start and after the setup. */
  load(): Promise<void>;
  /**
   * Creates a new token and its row. It is valid only after a unit has stored the row and `admit` was called.
   */
  mint(token: NewToken): { plaintext: string; row: TokenRow };
  /** Makes a stored row valid from now on, without a restart. */
  admit(row: TokenRow): void;
  /** The token expires at this time from now on; the caller has stored it. */
  postpone(id: string, expiresAt: number): void;
  /** Returns the row with this id, as it is now. */
  find(id: string): TokenRow | undefined;
  /** Whether the token with this id is accepted and does not end at the moment. */
  isValid(id: string): boolean;
  isEnding(id: string): boolean;
  /** From now on, nothing descends from these tokens; `forget` ends them, or `false` takes it back. */
  setEnding(ids: readonly string[], areEnding: boolean): void;
  /** Returns the member's live tokens, oldest first. */
  list(member: string): TokenInfo[];
  /** Returns the live rows of the member, or of everybody for null, in no order. */
  rows(member: string | null): TokenRow[];
  /** Ends tokens on disk, then everywhere. Without `audit`, the audit log does not have it: it is upkeep. */
  revoke(ids: readonly string[], audit?: AuditEntry): Promise<void>;
  /**
   * Ends tokens whose rows are gone, or go at the next start: they stop working at once, and their streams
   * end.
   */
  forget(ids: readonly string[]): void;
  forgetMember(member: string): void;
  /** Writes when tokens were last used; the row may lag by half a minute. */
  flushLastUsed(): Promise<void>;
}

export interface TokenDeps {
  units: TokenUnits;
  clock: Clock;
  expiries: Expiries;
  /** The primary tokens and members' names in the present configuration; null before the setup. */
  configured: () => { primaries: Primary[]; members: ReadonlySet<string> } | null;
  onRevoked: (credentialId: string) => void;
  /** A housekeeping write failed that the next start makes up for. */
  onWriteDeferred: (error: unknown) => void;
}

export function createTokens(deps: TokenDeps): Tokens {
  const { units, clock, expiries, configured, onRevoked, onWriteDeferred } = deps;
  const rowByHash = new Map<string, TokenRow>();
  const rowById = new Map<string, TokenRow>();
  /** Plaintexts of live tokens only, so it is no larger than the number of tokens. */
  const rowByPlaintext = new Map<string, TokenRow>();
  const usedAtById = new Map<string, number>();
  const endingIds = new Set<string>();

  function lookUp(plaintext: string): TokenRow | undefined {
    const known = rowByPlaintext.get(plaintext);
    if (known !== undefined) return known;
    const row = rowByHash.get(hashToken(plaintext));
    if (row !== undefined) rowByPlaintext.set(plaintext, row);
    return row;
  }

  function forget(ids: readonly string[]): void {
    const gone = new Set(ids);
    for (const [plaintext, row] of rowByPlaintext) if (gone.has(row.id)) rowByPlaintext.delete(plaintext);
    for (const id of gone) {
      const row = rowById.get(id);
      if (row !== undefined) rowByHash.delete(row.hash);
      rowById.delete(id);
      usedAtById.delete(id);
      endingIds.delete(id);
      expiries.delete(id);
      onRevoked(id);
    }
  }

  const rows = (member: string | null): TokenRow[] =>
    [...rowById.values()]
      .filter((row) => member === null || row.member === member)
      .map((row) => ({ ...row, lastUsedAt: usedAtById.get(row.id) ?? row.lastUsedAt }));

  const idsOf = (member: string): string[] =>
    [...rowById.values()].filter((row) => row.member === member).map(({ id }) => id);

  function expireInTime(row: TokenRow): void {
    const { id } = row;
    const onExpired = (): void => {
      forget([id]);
      units.changeTokens({ remove: [id], insert: [] }).catch(onWriteDeferred);
    };
    if (row.origin !== 'run') expiries.set(id, row.expiresAt, onExpired);
    else
      expiries.set(id, row.expiresAt, onExpired, {
        ms: limits.run.respiteMs,
        onPutOff(expiresAt) {
          row.expiresAt = expiresAt;
          units.postponeToken({ id, expiresAt }).catch(onWriteDeferred);
        },
      });
  }

  function admit(row: TokenRow): void {
    rowByHash.set(row.hash, row);
    rowById.set(row.id, row);
    expireInTime(row);
  }

  return {
    identify(plaintext, address) {
      const row = lookUp(plaintext);
      if (row === undefined) return null;
      const now = clock();
      const hasExpired = (): boolean => row.expiresAt !== null && row.expiresAt <= now;
      // It may have a respite that nobody has noticed yet.
      if (hasExpired()) expiries.look();
      if (hasExpired()) return null;
      usedAtById.set(row.id, now);
      if (address !== undefined) row.lastAddress = address.slice(0, limits.address);
      const { id, expiresAt, origin, member } = row;
      return { id, expiresAt, isRun: origin === 'run', member: member as MemberName };
    },
    async load() {
      // A later start may have a configuration: what is stored is judged by one, never by the lack of one.
      const present = configured();
      if (present === null) return;
      const rows = await units.allTokens();
      const change = reconcileTokens(rows, present.primaries, present.members, clock());
      if (change.remove.length > 0 || change.insert.length > 0) await units.changeTokens(change);
      const removed = new Set(change.remove);
      for (const row of [...rows.filter(({ id }) => !removed.has(id)), ...change.insert])
        admit(afterStandstill(row, clock()));
    },
    mint({ member, origin, label, createdBy, expiresAt }) {
      const plaintext = mintToken();
      const made = { id: randomUUID(), hash: hashToken(plaintext), createdAt: clock(), lastUsedAt: null };
      return { plaintext, row: { ...made, member, origin, label, createdBy, expiresAt } };
    },
    admit,
    postpone(id, expiresAt) {
      const row = rowById.get(id);
      if (row === undefined) return;
      row.expiresAt = expiresAt;
      expireInTime(row);
    },
    find: (id) => rowById.get(id),
    isValid: (id) => rowById.has(id) && !endingIds.has(id),
    isEnding: (id) => endingIds.has(id),
    setEnding(ids, areEnding) {
      for (const id of ids) areEnding ? endingIds.add(id) : endingIds.delete(id);
    },
    list: (member) =>
      rows(member)
        .sort((a, b) => a.createdAt - b.createdAt)
        .map(tokenInfo),
    rows,
    async revoke(ids, audit) {
      await units.changeTokens({ remove: [...ids], insert: [], ...(audit && { audit }) });
      forget(ids);
    },
    forget,
    forgetMember: (member) => forget(idsOf(member)),
    async flushLastUsed() {
      if (usedAtById.size === 0) return;
      const used = [...usedAtById].flatMap(([id, at]) => {
        const row = rowById.get(id);
        if (row === undefined) return [];
        row.lastUsedAt = at;
        return [{ id, at, address: row.lastAddress ?? null }];
      });
      usedAtById.clear();
      await units.touchTokens(used);
    },
  };
}
