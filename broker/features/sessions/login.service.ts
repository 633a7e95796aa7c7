/** TOTP login (specification/authentication.md#totp). */
import type { AuditEntry } from '#protocol/audit.ts';
import { BrokerError, refuse } from '#protocol/errors.ts';
import type { LinkLogin, LoginReply, TotpLogin } from '#protocol/session.ts';
import { totpField } from '../../config/admit-config.ts';
import type { ConfigStore } from '../../config/config-store.ts';
import type { ConfigMember } from '../../config/svc-config.ts';
import type { Clock } from '../../runtime/clock.ts';
import { deviceLabel } from '../../runtime/device-label.rules.ts';
import { type CookiePlace, freshCookies, knownDeviceCookies } from '../../security/session-cookie.ts';
import { mintTotpSecret } from '../../security/totp.ts';
import type { Audit } from '../audit/audit.service.ts';
import type { Members } from '../members/members.service.ts';
import type { KnownDevices } from './known-devices.service.ts';
import type { LoginKnocks } from './login-knocks.ts';
import type { LoginLinks } from './login-links.service.ts';
import { reservesOf } from './login-reserves.rules.ts';
import type { LoginReserves } from './login-reserves.ts';
import type { MintedSession, Sessions } from './sessions.service.ts';
import type { SessionRow, SessionUnits } from './sessions.sqlite.ts';

export interface Login {
  /**
   * Opens a session. @throws BrokerError unauthenticated, in the same words for an unknown member, one
   * without TOTP, one whose secret cannot be read, a wrong code, and a used one; rate_limited.
   */
  logIn(request: TotpLogin, from: LoginSource): Promise<LoggedIn>;
  /** Opens a session with the code of a one-time link. @throws BrokerError unauthenticated, forbidden. */
  logInByLink(request: LinkLogin, from: LoginSource): Promise<LoggedIn>;
}

/** The origin of a login. */
export interface LoginSource {
  userAgent: string | undefined;
  address: string;
  /** The address or prefix that counts as one source (http/rate-limit.ts). */
  source: string;
  /** The network to which the source belongs (http/rate-limit.ts). */
  network: string;
  place: CookiePlace;
  /** The request comes from the machine of the broker. */
  isLocal: boolean;
  /** The cookie of a known device, and a bearer credential; null without one. Neither is needed. */
  deviceCookie: string | null;
  bearer: string | null;
}

export interface LoggedIn {
  session: LoginReply;
  /** The session's cookies, and those of a known device. */
  setCookies: string[];
}

export interface LoginDeps {
  config: ConfigStore;
  members: Pick<Members, 'find' | 'all'>;
  sessions: Sessions;
  /** Returns the member for whom a bearer token vouches at a login; null for none. */
  bearerOwner: (token: string) => string | null;
  devices: KnownDevices;
  reserves: Pick<LoginReserves, 'begin'>;
  knocks: Pick<LoginKnocks, 'note'>;
  links: Pick<LoginLinks, 'take' | 'isValid'>;
  audit: Pick<Audit, 'entry' | 'count'>;
  units: SessionUnits;
  clock: Clock;
  /** A write failed that a later login makes up for. */
  onWriteDeferred: (error: unknown) => void;
}

type TotpCodes = typeof import('../../security/totp-codes.ts');

interface Match {
  member: ConfigMember;
  step: number;
}

const refuseLogin = (): never => refuse('login_failed');

export function createLogin(deps: LoginDeps): Login {
  const { config, members, sessions, bearerOwner, devices, reserves, knocks, links, audit, units, clock } =
    deps;
  /** Opened and verified if there is nothing else, so that it takes the same work. */
  const decoySecret = mintTotpSecret();
  const decoyEnvelope = config.seal(decoySecret, totpField(''));

  /**
   * Takes the same work whether or not the member exists, is enrolled, has a readable secret, or sent the
   * correct code.
   */
  function stepOf(
    { totpStepOf }: TotpCodes,
    member: ConfigMember | undefined,
    code: string,
    now: number,
  ): number | null {
    const envelope = member?.totpSecret ?? decoyEnvelope;
    const secret = config.secret(envelope, totpField(member?.totpSecret ? member.name : ''));
    const step = totpStepOf(secret ?? decoySecret, code, now);
    return member?.totpSecret === undefined || secret === null ? null : step;
  }

  /**
   * Tries every enrolled member, wherever a match is. A code that fits two members opens no session for
   * either.
   */
  function search(
    codes: TotpCodes,
    candidates: readonly (ConfigMember | undefined)[],
    code: string,
  ): Match | null {
    const now = clock();
    const matches: Match[] = [];
    for (const member of candidates) {
      const step = stepOf(codes, member, code, now);
      if (member !== undefined && step !== null) matches.push({ member, step });
    }
    return matches.length === 1 ? (matches[0] ?? null) : null;
  }

  /** The request has no credential yet; the one that it gets is the session. */
  const openedRecord = (
    { id, member, device, secretHash }: SessionRow,
    more: { linkOf?: string } = {},
  ): AuditEntry => ({
    ...audit.entry('login', { subject: member, after: { device, bound: secretHash !== null, ...more } }),
    member,
    credential: { plane: 'session', id },
  });

  /** Sets the cookie of a known device if the login asks for it; a login does not fail for the lack of one. */
  async function remember(member: string, from: LoginSource): Promise<string[]> {
    const value = await devices.remember(member, from.deviceCookie).catch(deps.onWriteDeferred);
    return value === undefined ? [] : knownDeviceCookies(value, from.place);
  }

  async function open(
    { code, member: name, bound, remember: asked }: TotpLogin,
    from: LoginSource,
  ): Promise<LoggedIn> {
    const codes = await import('../../security/totp-codes.ts');
    const named = name ?? null;
    const enrolled = members.all().filter(({ totpSecret }) => totpSecret !== undefined);
    const { deviceCookie, bearer } = from;
    const device = devices.recognize(deviceCookie);
    const attempt = reserves.begin(
      named,
      reservesOf({ ...from, named, device, bearer: bearer === null ? null : bearerOwner(bearer) }),
      named === null ? enrolled.map(({ name }) => name) : [],
    );
    const match = search(codes, named === null ? enrolled : [members.find(named)], code);
    if (match === null || (named === null && attempt.isLimited(match.member.name))) return refuseLogin();
    const { member, step } = match;
    const minted = mint(member.name, bound, from, member.totpBoundWith ?? null);
    const { row } = minted;
    const isOpened = await units
      .openSession({ session: row, step, audit: openedRecord(row) })
      .catch((error: unknown) => {
        attempt.giveBack();
        throw error;
      });
    if (!isOpened) return refuseLogin();
    const deviceCookies = asked ? await remember(member.name, from) : [];
    // In the meantime, the member may have been removed, or have enrolled another authenticator.
    const now = members.find(member.name);
    if (now?.totpSecret?.ct !== member.totpSecret?.ct || now === undefined) {
      await units.removeSessions({ ids: [row.id], devicesOf: member.name });
      devices.forgetMember(member.name);
      return refuseLogin();
    }
    attempt.succeeded(member.name);
    return admit(minted, now, from, deviceCookies);
  }

  const mint = (
    member: string,
    bound: boolean | null | undefined,
    from: LoginSource,
    token: string | null,
  ): MintedSession =>
    sessions.mint(member, {
      token,
      device: deviceLabel(from.userAgent),
      address: from.address,
      isBound: bound ?? false,
    });

  function admit(
    { cookie, secret, row }: MintedSession,
    { name, role, permissions }: ConfigMember,
    { place }: LoginSource,
    deviceCookies: readonly string[],
  ): LoggedIn {
    sessions.admit(row);
    const session = { member: name, role, permissions, expiresAt: row.expiresAt };
    return {
      session: secret === null ? session : { ...session, secret },
      setCookies: [...freshCookies(cookie, place), ...deviceCookies],
    };
  }

  async function openByLink({ code, bound }: LinkLogin, from: LoginSource): Promise<LoggedIn> {
    if (from.place.scheme !== 'https' && !from.isLocal) refuse('login_link_exposed');
    const owner = links.take(code);
    if (owner === null) return refuse('login_link_invalid');
    const minted = mint(owner.member, bound, from, owner.tokenId);
    const record = openedRecord(minted.row, { linkOf: owner.tokenId });
    await units.openSession({ session: minted.row, step: null, audit: record });
    const now = members.find(owner.member);
    // In the meantime, the member may have been removed.
    if (now === undefined || !links.isValid(owner.tokenId)) {
      await units.removeSessions({ ids: [minted.row.id] });
      return refuse('login_link_invalid');
    }
    return admit(minted, now, from, []);
  }

  /** Notes a failure where operators look. */
  async function counted(name: string | null, from: LoginSource, work: Promise<LoggedIn>): Promise<LoggedIn> {
    try {
      return await work;
    } catch (error) {
      if (isFailedLogin(error)) {
        knocks.note(from.source);
        const subject = members.find(name ?? '')?.name ?? null;
        audit.count('login_failed', { subject, address: from.source });
      }
      throw error;
    }
  }

  return {
    logIn: (request, from) => counted(request.member ?? null, from, open(request, from)),
    logInByLink: (request, from) => counted(null, from, openByLink(request, from)),
  };
}

const isFailedLogin = (error: unknown): boolean =>
  error instanceof BrokerError &&
  ['login_failed', 'login_link_invalid', 'too_many_wrong_codes', 'too_many_unnamed_codes'].includes(
    error.reason ?? '',
  );
