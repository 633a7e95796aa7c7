/**
 * A member's tokens as the member and managers handle them (specification/authentication.md#tokens). The
 * primary token's hash is in svc.json, and the rows are in the store; the file decides. Rows are created
 * before the file is written and removed after it, and a start brings the rows in line with the file
 * (reconcileTokens), so that the process may end between any two writes.
 */
import { createSerialQueue } from '#platform/serial-queue.ts';
import { refuse } from '#protocol/errors.ts';
import type { DeviceList, DeviceQuery, RotatedToken, TokenList } from '#protocol/token.ts';
import { withChangedMember, withoutAuthenticator } from '../../config/changed-config.ts';
import type { ConfigStore } from '../../config/config-store.ts';
import type { ConfigMember, SvcConfig } from '../../config/svc-config.ts';
import type { Actor } from '../../runtime/actor.ts';
import { hashToken, mintToken } from '../../security/token.ts';
import type { Audit } from '../audit/audit.service.ts';
import type { Members } from '../members/members.service.ts';
import type { Sessions } from '../sessions/sessions.service.ts';
import { devicePage } from './device-list.rules.ts';
import { type Primary, type TokenRow, tokenInfo } from './tokens.rules.ts';
import type { Tokens } from './tokens.service.ts';
import type { TokenUnits } from './tokens.sqlite.ts';

export interface MemberTokens {
  /** @throws BrokerError not_found for an unknown member, as the others do. */
  list(member: string): TokenList;
  /** A page of everybody's tokens for a manager, and of the caller's own for others. */
  devices(reader: Pick<Actor, 'name' | 'permissions'>, page: DeviceQuery): DeviceList;
  /**
   * Ends every token and every session of the member, except the session that asks, and creates its new primary
   * token; what they opened ends, and an authenticator that they bound is unbound. The plaintext is returned once.
   */
  rotate(member: string, by: Actor): Promise<RotatedToken>;
  /**
   * Ends one token, the sessions that descend from it, and an authenticator that it bound. Revoking the primary one means that the member's identity is no longer trusted, so that its
   * sessions end as in a rotation. @throws BrokerError not_found if the member has no such token.
   */
  revoke(member: string, id: string, by: Actor): Promise<void>;
}

export interface MemberTokenDeps {
  config: ConfigStore;
  members: Members;
  tokens: Tokens;
  sessions: Pick<Sessions, 'endOthers' | 'endFrom'>;
  /** Whether the credential of a request has not ended meanwhile. */
  isLive: (actor: Actor) => boolean;
  units: TokenUnits;
  audit: Pick<Audit, 'entry'>;
  /** A write failed that a start makes up for. */
  onWriteDeferred: (error: unknown) => void;
}

/**
 * The members' primary tokens. A revoked one is not among them: its replacement hash only occupies its place.
 */
export function primariesOf(members: readonly ConfigMember[]): Primary[] {
  return members.flatMap((member) => {
    const { name, tokenHash } = member;
    const isRevoked = 'revokedTokenHash' in member && member.revokedTokenHash === tokenHash;
    return tokenHash === undefined || isRevoked ? [] : [{ member: name, hash: tokenHash }];
  });
}

/** The hash of the token and, beside it, the mark that it is nobody's. */
interface TokenFields {
  tokenHash: string;
  revokedTokenHash: string | undefined;
}

/**
 * A change of the configuration that takes the member's authenticator away if this token bound it, or for null, any token of
 * the member. `fields` change with it.
 */
function unbinding(name: string, token: string | null, fields: TokenFields | null = null) {
  let hasUnbound = false;
  return {
    hasUnbound: () => hasUnbound,
    apply: (config: SvcConfig): SvcConfig =>
      withChangedMember(config, name, (member) => {
        const { totpBoundWith } = member;
        hasUnbound = totpBoundWith !== undefined && (token === null || totpBoundWith === token);
        return { ...(hasUnbound ? withoutAuthenticator(member) : member), ...fields };
      }),
  };
}

export function createMemberTokens(deps: MemberTokenDeps): MemberTokens {
  const { config, members, tokens, sessions, isLive, units, audit, onWriteDeferred } = deps;
  const queue = createSerialQueue();

  /** The one before may have ended the credential of this request. */
  const inTurn = <T>(by: Actor, work: () => Promise<T>): Promise<T> =>
    queue(() => (isLive(by) ? work() : refuse('unauthenticated')));

  const known = (name: string): ConfigMember => members.find(name) ?? refuse('unknown_member', { name });

  /** The tokens of runs of others that the member created: the holder of an ended credential may keep them alive. */
  async function endRunsStartedBy(name: string): Promise<void> {
    const runs = tokens.rows(null).filter(({ origin, createdBy }) => origin === 'run' && createdBy === name);
    for (const { id, member, origin, label } of runs) {
      const before = { tokenId: id, origin, label };
      await tokens.revoke([id], audit.entry('token_revoked', { subject: member, before }));
    }
  }

  async function revokeOther({ id, member, origin, label }: TokenRow, by: Actor): Promise<void> {
    if (known(member).totpBoundWith === id) await config.update(unbinding(member, id).apply);
    await sessions.endFrom(member, id, by.credentialId);
    const before = { tokenId: id, origin, label };
    await tokens.revoke([id], audit.entry('token_revoked', { subject: member, before }));
  }

  async function revokePrimary({ id, member }: TokenRow, by: Actor): Promise<void> {
    await sessions.endOthers(member, by.credentialId);
    // The secret is dropped right here. The mark keeps the hash from being treated as a token at the next
    // start.
    const nobodys = hashToken(mintToken());
    await config.update(unbinding(member, id, { tokenHash: nobodys, revokedTokenHash: nobodys }).apply);
    await sessions.endOthers(member, by.credentialId).catch(onWriteDeferred);
    tokens.forget([id]);
    await units.changeTokens({ remove: [id], insert: [] }).catch(onWriteDeferred);
  }

  return {
    devices({ name, permissions }, page) {
      const rows = tokens.rows(permissions.includes('members.manage') ? null : name);
      const isPrimary = ({ member, hash }: TokenRow) => members.find(member)?.tokenHash === hash;
      return { devices: devicePage(rows, page, { isPrimary }) };
    },
    list: (name) => ({ tokens: tokens.list(known(name).name) }),
    rotate: (name, by) =>
      inTurn(by, async () => {
        const member = known(name).name;
        const { plaintext, row } = tokens.mint({
          member,
          origin: 'rotate',
          label: '',
          createdBy: by.name,
          expiresAt: null,
        });
        const replaced = await units.beginRotation(row);
        tokens.setEnding(replaced, true);
        const change = unbinding(name, null, { tokenHash: row.hash, revokedTokenHash: undefined });
        try {
          // Before the new token exists, so that no crash leaves an old session beside it.
          await sessions.endOthers(member, by.credentialId);
          await config.update(change.apply);
        } catch (error) {
          tokens.setEnding(replaced, false);
          await units.changeTokens({ remove: [row.id], insert: [] }).catch(onWriteDeferred);
          throw error;
        }
        // Those that the authenticator opened until it was unbound.
        await sessions.endOthers(member, by.credentialId).catch(onWriteDeferred);
        tokens.admit(row);
        tokens.forget(replaced);
        await units.changeTokens({ remove: replaced, insert: [] }).catch(onWriteDeferred);
        await endRunsStartedBy(member);
        const reply = { token: plaintext, tokenInfo: tokenInfo(row) };
        return change.hasUnbound() ? { ...reply, authenticatorUnbound: true } : reply;
      }),
    revoke: (name, id, by) =>
      inTurn(by, async () => {
        const row = tokens.find(id);
        if (known(name).name !== row?.member) return refuse('unknown_token', { name });
        tokens.setEnding([id], true);
        try {
          await (row.hash === known(name).tokenHash ? revokePrimary(row, by) : revokeOther(row, by));
        } finally {
          tokens.setEnding([id], false);
        }
      }),
  };
}
