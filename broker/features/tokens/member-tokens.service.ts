/**
 * A member's tokens as the member and managers handle them (specification/authentication.md#tokens). The
 * primary token's hash is in svc.json, and the rows are in the store; the file decides. Rows are created
 * before the file is written and removed after it, and a start brings the rows in line with the file
 * (reconcileTokens), so that the process may end between any two writes.
 */
import { createSerialQueue } from '#platform/serial-queue.ts';
import { refuse } from '#protocol/errors.ts';
import type { RotatedToken, TokenList } from '#protocol/token.ts';
import type { ConfigStore } from '../../config/config-store.ts';
import type { ConfigMember, SvcConfig } from '../../config/svc-config.ts';
import { hashToken, mintToken } from '../../security/token.ts';
import type { Audit } from '../audit/audit.service.ts';
import type { Members } from '../members/members.service.ts';
import { type Primary, tokenInfo } from './tokens.rules.ts';
import type { Tokens } from './tokens.service.ts';
import type { TokenUnits } from './tokens.sqlite.ts';

export interface MemberTokens {
  /** @throws BrokerError not_found for an unknown member, as the others do. */
  list(member: string): TokenList;
  /**
   * Ends every token of the member and creates its new primary one; streams that they opened end. The
   * plaintext is returned once.
   */
  rotate(member: string, by: string): Promise<RotatedToken>;
  /** Ends one token. @throws BrokerError not_found if the member has no such token. */
  revoke(member: string, id: string): Promise<void>;
}

export interface MemberTokenDeps {
  config: ConfigStore;
  members: Members;
  tokens: Tokens;
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

function changeMember(config: SvcConfig, name: string, change: Record<string, unknown>): SvcConfig {
  const member = config.store.members.find((one) => one.name === name);
  if (member === undefined) refuse('unknown_member', { name });
  Object.assign(member, change);
  return config;
}

export function createMemberTokens(deps: MemberTokenDeps): MemberTokens {
  const { config, members, tokens, units, audit, onWriteDeferred } = deps;
  const inTurn = createSerialQueue();

  const known = (name: string): ConfigMember => members.find(name) ?? refuse('unknown_member', { name });

  return {
    list: (name) => ({ tokens: tokens.list(known(name).name) }),
    rotate: (name, by) =>
      inTurn(async () => {
        const member = known(name).name;
        const { plaintext, row } = tokens.mint({
          member,
          origin: 'rotate',
          label: '',
          createdBy: by,
          expiresAt: null,
        });
        const replaced = await units.beginRotation(row);
        try {
          await config.update((current) =>
            changeMember(current, name, { tokenHash: row.hash, revokedTokenHash: undefined }),
          );
        } catch (error) {
          await units.changeTokens({ remove: [row.id], insert: [] }).catch(onWriteDeferred);
          throw error;
        }
        tokens.admit(row);
        tokens.forget(replaced);
        await units.changeTokens({ remove: replaced, insert: [] }).catch(onWriteDeferred);
        return { token: plaintext, tokenInfo: tokenInfo(row) };
      }),
    revoke: (name, id) =>
      inTurn(async () => {
        const { tokenHash } = known(name);
        const row = tokens.find(id);
        if (row === undefined || row.member !== name) {
          refuse('unknown_token', { name });
        }
        if (row.hash !== tokenHash) {
          const { origin, label } = row;
          const before = { tokenId: id, origin, label };
          return tokens.revoke([id], audit.entry('token_revoked', { subject: name, before }));
        }
        // The secret is dropped right here. The mark keeps the hash from being treated as a token at the next
        // start.
        const nobodys = hashToken(mintToken());
        await config.update((current) =>
          changeMember(current, name, { tokenHash: nobodys, revokedTokenHash: nobodys }),
        );
        tokens.forget([id]);
        await units.changeTokens({ remove: [id], insert: [] }).catch(onWriteDeferred);
      }),
  };
}
