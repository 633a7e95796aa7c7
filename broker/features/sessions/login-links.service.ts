/**
 * One-time links into the console for a holder of a token (specification/authentication.md#login-links). They live in
 * memory only, for a minute, so a restart ends them.
 */

import { limits } from '#protocol/limits.ts';
import type { ConsoleLink } from '#protocol/session.ts';
import type { Actor } from '../../runtime/actor.ts';
import type { Clock } from '../../runtime/clock.ts';
import { hashSessionCookie, isSessionCookie, mintSessionCookie } from '../../security/session-cookie.ts';

export interface LoginLinks {
  /** A member's link beyond the limit ends the oldest one. */
  create(actor: Actor): ConsoleLink;
  /** Uses a code up. Returns whom it logs in; null if it is unknown, used, expired, or its token is gone. */
  take(code: string): LinkOwner | null;
  /** Ends the member's open links. */
  forget(member: string): void;
  /** Whether a token is still accepted, by its id. */
  isValid(tokenId: string): boolean;
}

export interface LinkOwner {
  member: string;
  /** The id of the token that made the link. */
  tokenId: string;
}

interface Link extends LinkOwner {
  expiresAt: number;
}

const { lifetimeMs, perMember } = limits.loginLink;

export function createLoginLinks(clock: Clock, isValid: LoginLinks['isValid']): LoginLinks {
  const linkByHash = new Map<string, Link>();

  function dropOld(member: string): void {
    const now = clock();
    for (const [hash, link] of linkByHash) if (link.expiresAt <= now) linkByHash.delete(hash);
    const own = [...linkByHash].filter(([, link]) => link.member === member);
    for (const [hash] of own.slice(0, Math.max(0, own.length - perMember + 1))) linkByHash.delete(hash);
  }

  return {
    isValid,
    create({ name, credentialId }) {
      dropOld(name);
      const code = mintSessionCookie();
      const expiresAt = clock() + lifetimeMs;
      linkByHash.set(hashSessionCookie(code), { member: name, tokenId: credentialId, expiresAt });
      return { code, expiresAt };
    },
    forget(member) {
      for (const [hash, link] of linkByHash) if (link.member === member) linkByHash.delete(hash);
    },
    take(code) {
      if (!isSessionCookie(code)) return null;
      const hash = hashSessionCookie(code);
      const link = linkByHash.get(hash);
      linkByHash.delete(hash);
      if (link === undefined || link.expiresAt <= clock() || !isValid(link.tokenId)) return null;
      return { member: link.member, tokenId: link.tokenId };
    },
  };
}
