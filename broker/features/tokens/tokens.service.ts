/**
 * Bearer tokens (D3). Every valid token is held by its hash; a header seen before is answered from a map, so an ordinary request
 * costs no hash and no query.
 */
import type { MemberName } from '#protocol/ids.ts';
import type { Clock } from '../../runtime/clock.ts';
import { hashToken } from '../../security/token.ts';
import { type Primary, reconcileTokens, type TokenRow } from './tokens.rules.ts';
import type { TokenUnits } from './tokens.sqlite.ts';

export interface Tokens {
  /** The live token with this plaintext; null when there is none or it has expired. */
  identify(plaintext: string): (Pick<TokenRow, 'id' | 'expiresAt'> & { member: MemberName }) | null;
  /** Reads the rows and brings them in line with the configuration; at start and after set-up. */
  load(): Promise<void>;
  /** Ends tokens: they stop working at once, on disk when this resolves. Whoever opened streams with them is told. */
  revoke(ids: readonly string[]): Promise<void>;
  /** Writes when tokens were last used; the row may lag by half a minute. */
  flushLastUsed(): Promise<void>;
}

export interface TokenDeps {
  units: TokenUnits;
  clock: Clock;
  /** Primary tokens and members' names, as the configuration has them now. */
  configured: () => { primaries: Primary[]; members: ReadonlySet<string> };
  onRevoked: (tokenId: string) => void;
}

export function createTokens({ units, clock, configured, onRevoked }: TokenDeps): Tokens {
  let rowByHash = new Map<string, TokenRow>();
  /** Plaintexts of live tokens only, so it is no larger than the number of tokens. */
  const rowByPlaintext = new Map<string, TokenRow>();
  const usedAtById = new Map<string, number>();

  function lookUp(plaintext: string): TokenRow | undefined {
    const known = rowByPlaintext.get(plaintext);
    if (known !== undefined) return known;
    const row = rowByHash.get(hashToken(plaintext));
    if (row !== undefined) rowByPlaintext.set(plaintext, row);
    return row;
  }

  function forget(ids: ReadonlySet<string>): void {
    for (const [hash, row] of rowByHash) if (ids.has(row.id)) rowByHash.delete(hash);
    for (const [plaintext, row] of rowByPlaintext) if (ids.has(row.id)) rowByPlaintext.delete(plaintext);
    for (const id of ids) usedAtById.delete(id);
  }

  return {
    identify(plaintext) {
      const row = lookUp(plaintext);
      if (row === undefined) return null;
      const now = clock();
      if (row.expiresAt !== null && row.expiresAt <= now) return null;
      usedAtById.set(row.id, now);
      return { id: row.id, expiresAt: row.expiresAt, member: row.member as MemberName };
    },
    async load() {
      const rows = await units.allTokens();
      const { primaries, members } = configured();
      const change = reconcileTokens(rows, primaries, members, clock());
      if (change.remove.length > 0 || change.insert.length > 0) await units.changeTokens(change);
      const removed = new Set(change.remove);
      const live = [...rows.filter((row) => !removed.has(row.id)), ...change.insert];
      rowByHash = new Map(live.map((row) => [row.hash, row]));
      rowByPlaintext.clear();
    },
    async revoke(ids) {
      forget(new Set(ids));
      for (const id of ids) onRevoked(id);
      await units.changeTokens({ remove: [...ids], insert: [] });
    },
    async flushLastUsed() {
      if (usedAtById.size === 0) return;
      const used = [...usedAtById].map(([id, at]) => ({ id, at }));
      usedAtById.clear();
      await units.touchTokens(used);
    },
  };
}
