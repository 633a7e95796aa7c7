/**
 * Tokens of runs: created directly, valid for an hour, and extended as long as the run renews its lease and
 * the member who created the token may still do so (specification/authentication.md#tokens-of-runs).
 */
import { refuse } from '#protocol/errors.ts';
import type { MemberName } from '#protocol/ids.ts';
import { limits } from '#protocol/limits.ts';
import type { RotatedToken } from '#protocol/token.ts';
import type { Actor } from '../../runtime/actor.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import type { Audit } from '../audit/audit.service.ts';
import type { Members } from '../members/members.service.ts';
import { tokenInfo } from './tokens.rules.ts';
import type { Tokens } from './tokens.service.ts';
import type { TokenUnits } from './tokens.sqlite.ts';

export interface RunTokens {
  /** Returns the plaintext once. @throws BrokerError not_found for an unknown member. */
  create(member: string, by: Actor, label: string): Promise<RotatedToken>;
  /**
   * Extends the token with this id if it belongs to a run. Returns when it expires; null for any other
   * credential.
   */
  extend(credentialId: string): Promise<number | null>;
  /** A run with this credential has the lease: ends the tokens of runs of the member that were killed. Never throws. */
  endLeft(member: MemberName, credentialId: string): Promise<void>;
}

export interface RunTokenDeps {
  members: Members;
  tokens: Pick<Tokens, 'mint' | 'admit' | 'find' | 'rows' | 'postpone' | 'revoke'>;
  /** Whether the credential of a request has not ended meanwhile. */
  isLive: (actor: Actor) => boolean;
  units: TokenUnits;
  audit: Pick<Audit, 'entry'>;
  /** A run will work as this member. */
  onCreated: (member: string) => void;
  clock: Clock;
  log: Log;
}

/** How long a run may take from the creation of its token until it has the lease. */
export const startMs = 60_000;

/** A token that is extended at every renewal would be written four times a minute. */
const extendBelowMs = limits.run.tokenMs / 2;

export function createRunTokens(deps: RunTokenDeps): RunTokens {
  const { members, tokens, isLive, units, audit, onCreated, clock, log } = deps;
  const mayCreate = (name: string | null): boolean =>
    name !== null && (members.find(name)?.permissions.includes('members.manage') ?? false);

  return {
    async create(name, by, label) {
      const member = members.find(name)?.name ?? refuse('unknown_member', { name });
      const { plaintext, row } = tokens.mint({
        member,
        origin: 'run',
        label,
        createdBy: by.name,
        expiresAt: clock() + limits.run.tokenMs,
      });
      const after = { tokenId: row.id, origin: row.origin, label };
      const made = audit.entry('token_created', { subject: member, after });
      await units.changeTokens({ remove: [], insert: [row], audit: made });
      tokens.admit(row);
      // Removed while the row was written.
      if (members.find(name) === undefined) {
        await tokens.revoke([row.id]);
        refuse('unknown_member', { name });
      }
      // A rotation may have looked for the tokens of the creator before there was this one.
      if (!isLive(by)) {
        await tokens.revoke([row.id], audit.entry('token_revoked', { subject: member, before: after }));
        refuse('unauthenticated');
      }
      onCreated(member);
      log.info({ member, tokenId: row.id, by: by.name }, 'a token of a run was created');
      return { token: plaintext, tokenInfo: tokenInfo(row) };
    },
    async extend(id) {
      const row = tokens.find(id);
      if (row === undefined || row.origin !== 'run' || row.expiresAt === null) return null;
      const now = clock();
      if (row.expiresAt - now > extendBelowMs || !mayCreate(row.createdBy)) return row.expiresAt;
      const expiresAt = now + limits.run.tokenMs;
      await units.postponeToken({ id, expiresAt });
      tokens.postpone(id, expiresAt);
      return tokens.find(id)?.expiresAt ?? null;
    },
    async endLeft(member, credentialId) {
      const startedBefore = clock() - startMs;
      const left = tokens
        .rows(member)
        .filter(
          ({ id, origin, createdAt }) => origin === 'run' && id !== credentialId && createdAt < startedBefore,
        )
        .map(({ id }) => id);
      if (left.length === 0) return;
      try {
        await tokens.revoke(left);
        log.info({ member, tokenIds: left }, 'the tokens of runs that were killed were revoked');
      } catch (err) {
        log.warn({ err, member }, 'the tokens of runs that were killed stay until they expire');
      }
    },
  };
}
