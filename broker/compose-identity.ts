/**
 * The identity of callers, and the life cycle of members: tokens, sessions, platform JWTs, membership, and enrollment
 * (specification/authentication.md#planes).
 */
import { limits } from '#protocol/limits.ts';
import type { Messaging } from './compose-messaging.ts';
import type { People } from './compose-people.ts';
import { createEnrollment, type Enrollment } from './features/enrollment/enrollment.service.ts';
import type { Members } from './features/members/members.service.ts';
import { createMembership, type Membership } from './features/members/membership.service.ts';
import {
  createPlatformConnect,
  type PlatformConnect,
} from './features/platform-connect/platform-connect.service.ts';
import { type Authenticator, createAuthenticator } from './features/sessions/authenticator.service.ts';
import { createKnownDevices, type KnownDevices } from './features/sessions/known-devices.service.ts';
import { createIsLive } from './features/sessions/live-actor.ts';
import { createLogin, type Login } from './features/sessions/login.service.ts';
import { createLoginKnocks, type LoginKnocks } from './features/sessions/login-knocks.ts';
import { createLoginLinks, type LoginLinks } from './features/sessions/login-links.service.ts';
import { createLoginReserves } from './features/sessions/login-reserves.ts';
import { createSessions, type Sessions } from './features/sessions/sessions.service.ts';
import {
  createMemberTokens,
  type MemberTokens,
  primariesOf,
} from './features/tokens/member-tokens.service.ts';
import { createRunTokens, type RunTokens } from './features/tokens/run-tokens.service.ts';
import { createTokens, type Tokens } from './features/tokens/tokens.service.ts';
import type { Foundation } from './foundation.ts';
import type { CredentialReader } from './http/authenticate.ts';
import { createRateLimit } from './http/rate-limit.ts';
import type { Actor } from './runtime/actor.ts';
import { createJwtVerifier, type JwtSettings, type JwtVerifier } from './security/jwt.ts';

/** The credentials: tokens, sessions, and JWTs of a platform. */
interface Credentials {
  tokens: Tokens;
  memberTokens: MemberTokens;
  runTokens: RunTokens;
  sessions: Sessions;
  devices: KnownDevices;
  knocks: LoginKnocks;
  links: LoginLinks;
  login: Login;
  isLive: (actor: Actor) => boolean;
  authenticator: Authenticator;
  credentials: CredentialReader;
  /**
   * Returns the settings for JWTs: those of the bound platform, or else of the configuration; null if none are accepted.
   */
  jwtSettings: () => JwtSettings | null;
}

export interface Identity extends Credentials {
  membership: Membership;
  enrollment: Enrollment;
  platformConnect: PlatformConnect;
}

export function composeIdentity(
  foundation: Foundation,
  people: People,
  { channels, holds, objectives, webPush }: Pick<Messaging, 'channels' | 'holds' | 'objectives' | 'webPush'>,
): Identity {
  const { units, config, overlay, outbound, audit, onWriteDeferred, clock, log } = foundation;
  const { members } = people;
  const credentials = composeCredentials(foundation, people, (credentialId) => {
    people.streams.endOf(credentialId);
    webPush.endOf(credentialId);
  });
  const { tokens, sessions } = credentials;
  const membership = createMembership({
    config,
    members,
    tokens,
    units,
    clock,
    onMemberRemoved: [
      tokens.forgetMember,
      (name) => sessions.forget(sessions.idsOf(name)),
      credentials.devices.forgetMember,
      people.forgetMember,
      webPush.forgetMember,
    ],
    releaseObjectives: objectives.releaseOf,
    onChannelsLeft: channels.announceLeft,
    onHeldDropped: holds.droppedWith,
    audit,
    onWriteDeferred,
  });
  const enrollment = createEnrollment({
    units,
    clock,
    config,
    members,
    createMember: membership.createEnrolled,
    wasCreatedBy: membership.wasCreatedBy,
    audit,
    tokens,
    isLive: credentials.isLive,
    log,
  });
  const platformConnect = createPlatformConnect({
    units,
    overlay,
    outbound,
    audit,
    members,
    failures: createRateLimit({
      max: limits.platformLookupFailures.perAddress,
      windowMs: limits.platformLookupFailures.windowMs,
      clock,
    }),
    clock,
    log,
  });
  return { ...credentials, membership, enrollment, platformConnect };
}

/** `onEnded`: what each token or session opened or subscribed ends with it. */
function composeCredentials(
  foundation: Foundation,
  { members, kinds }: People,
  onEnded: (credentialId: string) => void,
): Credentials {
  const { units, config, overlay, outbound, audit, expiries, onWriteDeferred, clock, log } = foundation;
  const configured = () =>
    config.current === null
      ? null
      : { primaries: primariesOf(members.all()), members: new Set(members.all().map(({ name }) => name)) };
  const tokens = createTokens({
    units,
    clock,
    expiries,
    configured,
    onRevoked: onEnded,
    onWriteDeferred,
  });
  const devices = createKnownDevices({ units, members, clock });
  const knocks = createLoginKnocks(clock, log);
  const sessions = createSessions({
    units,
    clock,
    members,
    expiries,
    devices,
    audit,
    onEnded,
    onWriteDeferred,
  });
  const isLive = createIsLive({ tokens, sessions });
  const reserves = createLoginReserves(clock);
  const links = createLoginLinks(clock, tokens.isValid);
  const jwtSettings = () => overlay.jwt ?? config.current?.jwt ?? null;
  const jwt = createJwtVerifier({ settings: jwtSettings, outbound, clock, log });
  return {
    tokens,
    memberTokens: createMemberTokens({
      config,
      members,
      tokens,
      sessions,
      isLive,
      units,
      audit,
      onWriteDeferred,
    }),
    runTokens: createRunTokens({
      members,
      tokens,
      isLive,
      units,
      audit,
      onCreated: kinds.noteRun,
      clock,
      log,
    }),
    sessions,
    devices,
    knocks,
    links,
    login: createLogin({
      config,
      members,
      sessions,
      bearerOwner: (token) => bearerOwner(tokens.identify(token)),
      devices,
      reserves,
      knocks,
      links,
      audit,
      units,
      clock,
      onWriteDeferred,
    }),
    isLive,
    authenticator: createAuthenticator({
      config,
      isLive,
      sessions,
      devices,
      reserves,
      units,
      clock,
    }),
    credentials: credentialReader({ members, tokens, jwt, sessions }),
    jwtSettings,
  };
}

/** The token of a run vouches for nobody who logs in. */
const bearerOwner = (token: ReturnType<Tokens['identify']>): string | null =>
  token === null || token.isRun ? null : token.member;

/** Returns the present member behind each kind of credential; nobody if it is no longer a member. */
function credentialReader({
  members,
  tokens,
  jwt,
  sessions,
}: Pick<Credentials, 'tokens' | 'sessions'> & { members: Members; jwt: JwtVerifier }): CredentialReader {
  return {
    bearer(token, address) {
      const credential = tokens.identify(token, address);
      const member = credential === null ? undefined : members.find(credential.member);
      if (credential === null || member === undefined) return null;
      const { id: credentialId, expiresAt, isRun } = credential;
      const { name, permissions } = member;
      return { name, permissions, plane: 'bearer', credentialId, isRun, expiresAt };
    },
    async jwt(token) {
      const verified = await jwt.verify(token);
      const member = verified === null ? undefined : members.find(verified.member);
      if (verified === null || member === undefined) return null;
      const { credentialId, expiresAt } = verified;
      const { name, permissions } = member;
      return { name, permissions, plane: 'jwt', credentialId, isRun: false, expiresAt };
    },
    session: sessions.authenticate,
  };
}
