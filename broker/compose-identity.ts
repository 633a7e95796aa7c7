/** Who is a member, and what shows it: members and how they come and go, tokens, sessions, platform JWTs (D1, D3). */
import { limits } from '#protocol/limits.ts';
import type { ConfigStore } from './config/config-store.ts';
import type { PlatformOverlay } from './config/platform-overlay.ts';
import { createEnrollment, type Enrollment } from './features/enrollment/enrollment.service.ts';
import { createMembers, type Members, type MembersDeps } from './features/members/members.service.ts';
import {
  createMembership,
  type Membership,
  type MembershipDeps,
} from './features/members/membership.service.ts';
import {
  createPlatformConnect,
  type PlatformConnect,
} from './features/platform-connect/platform-connect.service.ts';
import { type Authenticator, createAuthenticator } from './features/sessions/authenticator.service.ts';
import { createLogin, type Login } from './features/sessions/login.service.ts';
import { createSessions, type Sessions } from './features/sessions/sessions.service.ts';
import {
  createMemberTokens,
  type MemberTokens,
  primariesOf,
} from './features/tokens/member-tokens.service.ts';
import { createTokens, type Tokens } from './features/tokens/tokens.service.ts';
import type { CredentialReader } from './http/authenticate.ts';
import { createRateLimit } from './http/rate-limit.ts';
import type { Clock } from './runtime/clock.ts';
import { createExpiries, type Expiries } from './runtime/expiries.ts';
import type { Log } from './runtime/log.ts';
import type { Outbound } from './runtime/outbound-fetch.ts';
import { createJwtVerifier, type JwtSettings, type JwtVerifier } from './security/jwt.ts';
import type { MainUnits } from './store-thread.ts';

export interface IdentityDeps {
  units: MainUnits;
  config: ConfigStore;
  overlay: PlatformOverlay;
  outbound: Outbound;
  /** A token or session was revoked, logged out or has expired: what it opened ends. */
  onCredentialEnded: (credentialId: string) => void;
  onPermissionsChanged: MembersDeps['onPermissionsChanged'];
  /** What others hold of a member; tokens and sessions end by themselves, before them. */
  onMemberRemoved: MembershipDeps['onMemberRemoved'];
  releaseObjectives: MembershipDeps['releaseObjectives'];
  /** A write that the next start makes up for failed. */
  onPutOff: (error: unknown) => void;
  clock: Clock;
  log: Log;
}

export interface Identity {
  members: Members;
  membership: Membership;
  enrollment: Enrollment;
  platformConnect: PlatformConnect;
  tokens: Tokens;
  memberTokens: MemberTokens;
  sessions: Sessions;
  login: Login;
  authenticator: Authenticator;
  credentials: CredentialReader;
  /** Whose JWTs are taken: the bound platform's before the configuration's; null for nobody's. */
  jwtSettings: () => JwtSettings | null;
  /** What watches for credentials that expire. */
  expiries: Expiries;
}

export function composeIdentity(deps: IdentityDeps): Identity {
  const { units, config, overlay, outbound, onPutOff, clock, log } = deps;
  const { onCredentialEnded, onPermissionsChanged, onMemberRemoved, releaseObjectives } = deps;
  const expiries = createExpiries(clock);
  const members = createMembers({ config, onPermissionsChanged });
  const tokens = createTokens({
    units,
    clock,
    expiries,
    configured: () =>
      config.current === null
        ? null
        : {
            primaries: primariesOf(members.all()),
            members: new Set(members.all().map(({ name }) => name)),
          },
    onRevoked: onCredentialEnded,
    onPutOff,
  });
  const memberTokens = createMemberTokens({ config, members, tokens, units, onPutOff });
  const sessions = createSessions({ units, clock, members, expiries, onEnded: onCredentialEnded, onPutOff });
  const login = createLogin({ config, members, sessions, units, clock });
  const authenticator = createAuthenticator({ config, sessions, units });
  const jwtSettings = () => overlay.jwt ?? config.current?.jwt ?? null;
  const jwt = createJwtVerifier({ settings: jwtSettings, outbound, clock, log });
  const membership = createMembership({
    config,
    members,
    tokens,
    units,
    clock,
    onMemberRemoved: [
      tokens.forgetMember,
      (name) => sessions.forget(sessions.idsOf(name)),
      ...onMemberRemoved,
    ],
    releaseObjectives,
    onPutOff,
  });
  const enrollment = createEnrollment({
    units,
    clock,
    config,
    members,
    createMember: membership.createEnrolled,
    wasCreatedBy: membership.wasCreatedBy,
    tokens,
    log,
  });
  const platformConnect = createPlatformConnect({
    units,
    overlay,
    outbound,
    members,
    failures: createRateLimit({
      max: limits.platformLookupFailures.perAddress,
      windowMs: limits.platformLookupFailures.windowMs,
      clock,
    }),
    clock,
    log,
  });
  return {
    members,
    membership,
    enrollment,
    platformConnect,
    tokens,
    memberTokens,
    sessions,
    login,
    authenticator,
    credentials: credentialReader({ members, tokens, jwt, sessions }),
    jwtSettings,
    expiries,
  };
}

/** The member as it is now behind each kind of credential: one that is no member any more is nobody. */
function credentialReader({
  members,
  tokens,
  jwt,
  sessions,
}: Pick<Identity, 'members' | 'tokens' | 'sessions'> & { jwt: JwtVerifier }): CredentialReader {
  return {
    bearer(token) {
      const credential = tokens.identify(token);
      const member = credential === null ? undefined : members.find(credential.member);
      if (credential === null || member === undefined) return null;
      const { id: credentialId, expiresAt } = credential;
      return { name: member.name, permissions: member.permissions, plane: 'bearer', credentialId, expiresAt };
    },
    async jwt(token) {
      const verified = await jwt.verify(token);
      const member = verified === null ? undefined : members.find(verified.member);
      if (verified === null || member === undefined) return null;
      const { credentialId, expiresAt } = verified;
      return { name: member.name, permissions: member.permissions, plane: 'jwt', credentialId, expiresAt };
    },
    session: sessions.authenticate,
  };
}
