/** TOTP login (specification/authentication.md#totp). */
import { refuse } from '#protocol/errors.ts';
import type { LoginReply, TotpLogin } from '#protocol/session.ts';
import { totpField } from '../../config/admit-config.ts';
import type { ConfigStore } from '../../config/config-store.ts';
import type { ConfigMember } from '../../config/svc-config.ts';
import type { Clock } from '../../runtime/clock.ts';
import { deviceLabel } from '../../runtime/device-label.rules.ts';
import { freshCookie } from '../../security/session-cookie.ts';
import { mintTotpSecret, totpStepOf } from '../../security/totp.ts';
import type { Members } from '../members/members.service.ts';
import { createLoginFailures } from './login-failures.ts';
import type { Sessions } from './sessions.service.ts';
import type { SessionUnits } from './sessions.sqlite.ts';

export interface Login {
  /**
   * Opens a session. @throws BrokerError unauthenticated, in the same words for an unknown member, one
   * without TOTP, one whose secret cannot be read, a wrong code, and a used one; rate_limited.
   */
  logIn(request: TotpLogin, from: LoginSource): Promise<{ session: LoginReply; setCookie: string }>;
}

/** Where a login comes from. */
export interface LoginSource {
  userAgent: string | undefined;
  address: string;
  encrypted: boolean;
}

export interface LoginDeps {
  config: ConfigStore;
  members: Pick<Members, 'find' | 'all'>;
  sessions: Sessions;
  units: SessionUnits;
  clock: Clock;
}

interface Match {
  member: ConfigMember;
  step: number;
}

const refuseLogin = (): never => refuse('login_failed');

export function createLogin({ config, members, sessions, units, clock }: LoginDeps): Login {
  const failures = createLoginFailures(clock);
  /** Opened and verified if there is nothing else, so that it takes the same work. */
  const decoySecret = mintTotpSecret();
  const decoyEnvelope = config.seal(decoySecret, totpField(''));

  /**
   * Takes the same work whether or not the member exists, is enrolled, has a readable secret, or sent the
   * correct code.
   */
  function stepOf(member: ConfigMember | undefined, code: string, now: number): number | null {
    const envelope = member?.totpSecret ?? decoyEnvelope;
    const secret = config.secret(envelope, totpField(member?.totpSecret ? member.name : ''));
    const step = totpStepOf(secret ?? decoySecret, code, now);
    return member?.totpSecret === undefined || secret === null ? null : step;
  }

  /**
   * Tries every enrolled member, wherever a match is. A code that fits two members opens no session for
   * either.
   */
  function search(candidates: readonly (ConfigMember | undefined)[], code: string): Match | null {
    const now = clock();
    const matches: Match[] = [];
    for (const member of candidates) {
      const step = stepOf(member, code, now);
      if (member !== undefined && step !== null) matches.push({ member, step });
    }
    return matches.length === 1 ? (matches[0] ?? null) : null;
  }

  return {
    async logIn({ code, member: name, bound }, { userAgent, address, encrypted }) {
      const isNamed = name !== undefined && name !== null;
      const isLimited = (member: ConfigMember) => !isNamed && failures.isLimited(member.name);
      const enrolled = members.all().filter(({ totpSecret }) => totpSecret !== undefined);
      const attempt = failures.begin(isNamed ? name : null);
      const match = search(isNamed ? [members.find(name)] : enrolled, code);
      if (match === null || isLimited(match.member)) return refuseLogin();
      const { member, step } = match;
      const device = deviceLabel(userAgent);
      const { cookie, secret, row } = sessions.mint(member.name, {
        device,
        address,
        isBound: bound ?? false,
      });
      const isOpened = await units.openSession({ session: row, step }).catch((error: unknown) => {
        attempt.giveBack();
        throw error;
      });
      if (!isOpened) return refuseLogin();
      // In the meantime, the member may have been removed, or have enrolled another authenticator.
      const now = members.find(member.name);
      if (now?.totpSecret?.ct !== member.totpSecret?.ct || now === undefined) {
        await units.removeSessions([row.id]);
        return refuseLogin();
      }
      attempt.succeeded(member.name);
      sessions.admit(row);
      const { role, permissions } = now;
      return {
        session: {
          member: now.name,
          role,
          permissions,
          expiresAt: row.expiresAt,
          ...(secret !== null && { secret }),
        },
        setCookie: freshCookie(cookie, encrypted),
      };
    },
  };
}
