/**
 * Live sessions of the console, keyed by their cookie's hash: a request costs one hash and no query
 * (specification/authentication.md#sessions).
 */
import { randomUUID } from 'node:crypto';
import type { AuditEntry } from '#protocol/audit.ts';
import { refuse } from '#protocol/errors.ts';
import type { MemberName } from '#protocol/ids.ts';
import { limits } from '#protocol/limits.ts';
import type { SessionInfo } from '#protocol/session.ts';
import type { DeviceQuery } from '#protocol/token.ts';
import type { PresentedSession } from '../../http/authenticate.ts';
import type { Actor } from '../../runtime/actor.ts';
import type { Clock } from '../../runtime/clock.ts';
import { unknownDevice } from '../../runtime/device-label.rules.ts';
import type { Expiries } from '../../runtime/expiries.ts';
import {
  freshCookies,
  hashSessionCookie,
  isSessionCookie,
  mintSessionCookie,
} from '../../security/session-cookie.ts';
import type { Audit } from '../audit/audit.service.ts';
import type { Members } from '../members/members.service.ts';
import type { KnownDevices } from './known-devices.service.ts';
import type { SessionRow, SessionUnits } from './sessions.sqlite.ts';

export interface Sessions {
  /**
   * Returns the member behind a cookie, and the cookies again with their full lifetime; null if there is no such
   * session anymore. @throws BrokerError unauthenticated, with the session left as it is, for a bound session
   * without its secret, and for a secret that is not of this session.
   */
  authenticate(presented: PresentedSession): { actor: Actor; renewal: string[] } | null;
  /**
   * Creates a session, its cookie, and the secret of a bound one. It is valid only after its row is stored and
   * `admit` was called.
   */
  mint(member: string, client: SessionClient): MintedSession;
  /** A member's session beyond the limit ends the one of theirs that was used longest ago. */
  admit(row: SessionRow): void;
  /** Returns the member's sessions, most recently used first. `currentId`: of the caller's credential. */
  list(member: string, currentId: string): SessionInfo[];
  /** A page of everybody's sessions for a manager, and of the caller's own for others, in the order of their ids. */
  listOpen(reader: Pick<Actor, 'name' | 'permissions' | 'credentialId'>, page: DeviceQuery): SessionInfo[];
  /** Ends one session of the member. @throws BrokerError not_found. */
  endOne(member: string, id: string): Promise<void>;
  /** Ends the member's sessions, except the one with this id, and forgets its known devices. */
  endOthers(member: string, exceptId: string | null): Promise<void>;
  /** Ends the sessions that descend from this token, except the one with this id. */
  endFrom(member: string, token: string, exceptId: string): Promise<void>;
  /** Returns the id of the token from which a session descends; null for none. */
  tokenOf(id: string): string | null;
  /** Ends the session on disk, then everywhere; its streams end. */
  logOut(member: string, id: string): Promise<void>;
  /** Returns the record of what of a member somebody ends; null if it is nothing. */
  endRecord(member: string, ended: Ended, kind: 'logout' | 'session_ended'): AuditEntry | null;
  /** Ends sessions whose rows are gone. */
  forget(ids: readonly string[]): void;
  idsOf(member: string): string[];
  has(id: string): boolean;
  load(): Promise<void>;
  /** Writes how long sessions live now; a row may lag by a minute. */
  flush(): Promise<void>;
}

/** Ids of sessions, and whether the member's known devices are forgotten as well. */
export interface Ended {
  ids: readonly string[];
  withDevices: boolean;
}

/** The client that opens a session. */
export interface SessionClient {
  /** In plain words (device-label.rules.ts). */
  device: string;
  address: string;
  /** Whether the session is to work only with a secret of its own. */
  isBound: boolean;
  /** The id of the token from which the session descends; null for none. */
  token: string | null;
}

export interface MintedSession {
  cookie: string;
  secret: string | null;
  row: SessionRow;
}

export interface SessionDeps {
  units: SessionUnits;
  clock: Clock;
  members: Pick<Members, 'find'>;
  expiries: Expiries;
  devices: Pick<KnownDevices, 'countOf' | 'forgetMember'>;
  audit: Pick<Audit, 'entry'>;
  onEnded: (credentialId: string) => void;
  /** A housekeeping write failed that the next start makes up for. */
  onWriteDeferred: (error: unknown) => void;
}

const hashOrNull = (secret: string | null | undefined): string | null =>
  secret == null ? null : hashSessionCookie(secret);

const { lifetimeMs, lagMs, perMember } = limits.session;

const sessionInfo = (row: SessionRow, currentId: string): SessionInfo => {
  const { id, member, device, address, createdAt, lastSeenAt, expiresAt, secretHash } = row;
  return {
    id,
    memberName: member as MemberName,
    device: device || unknownDevice,
    address,
    createdAt,
    lastUsedAt: Math.max(createdAt, lastSeenAt - (lastSeenAt % lagMs)),
    expiresAt,
    current: id === currentId,
    bound: secretHash !== null,
  };
};

export function createSessions(deps: SessionDeps): Sessions {
  const { units, clock, members, expiries, devices, audit, onEnded, onWriteDeferred } = deps;
  const sessionByHash = new Map<string, SessionRow>();
  const sessionById = new Map<string, SessionRow>();
  /** The `lastSeenAt` in the rows of sessions that were used since. */
  const storedSeenAtById = new Map<string, number>();

  function forget(ids: readonly string[]): void {
    for (const id of ids) {
      const session = sessionById.get(id);
      if (session !== undefined) sessionByHash.delete(session.hash);
      sessionById.delete(id);
      storedSeenAtById.delete(id);
      expiries.delete(id);
      onEnded(id);
    }
  }

  function watch({ id, expiresAt }: SessionRow): void {
    expiries.set(id, expiresAt, () => {
      forget([id]);
      units.removeSessions({ ids: [id] }).catch(onWriteDeferred);
    });
  }

  function hold(row: SessionRow): void {
    sessionByHash.set(row.hash, row);
    sessionById.set(row.id, row);
    watch(row);
  }

  /** Most recently used first. */
  const sessionsOf = (member: string): SessionRow[] =>
    [...sessionById.values()]
      .filter((session) => session.member === member)
      .sort((a, b) => b.lastSeenAt - a.lastSeenAt);
  const idsOf = (member: string): string[] => sessionsOf(member).map(({ id }) => id);

  const endRecord: Sessions['endRecord'] = (member, { ids, withDevices }, kind) => {
    const ended = ids.flatMap((id) => sessionById.get(id) ?? []);
    const knownDevices = withDevices ? devices.countOf(member) : 0;
    if (ended.length === 0 && knownDevices === 0) return null;
    const before = {
      ...(ended.length > 0 && {
        sessions: ended.map(({ id }) => id),
        devices: ended.map(({ device }) => device),
      }),
      ...(knownDevices > 0 && { knownDevices }),
    };
    return audit.entry(kind, { subject: member, before });
  };

  async function end(member: string, ended: Ended, kind: 'logout' | 'session_ended'): Promise<void> {
    const record = endRecord(member, ended, kind);
    const { ids, withDevices } = ended;
    await units.removeSessions({
      ids: [...ids],
      ...(withDevices && { devicesOf: member }),
      ...(record !== null && { audit: record }),
    });
    forget(ids);
    if (withDevices) devices.forgetMember(member);
  }

  return {
    authenticate({ cookie, secret, place, address }) {
      const session = isSessionCookie(cookie) ? sessionByHash.get(hashSessionCookie(cookie)) : undefined;
      const now = clock();
      if (session === undefined || session.expiresAt <= now) return null;
      const member = members.find(session.member);
      if (member === undefined) return null;
      // A session that another page planted as a cookie has not the secret that this page sends.
      if (session.secretHash !== hashOrNull(secret)) refuse('session_not_of_this_page');
      if (!storedSeenAtById.has(session.id)) storedSeenAtById.set(session.id, session.lastSeenAt);
      session.lastSeenAt = now;
      session.expiresAt = now + lifetimeMs;
      session.address = address;
      watch(session);
      const { name, permissions } = member;
      const { id: credentialId, expiresAt } = session;
      return {
        actor: { name, permissions, plane: 'session', credentialId, isRun: false, expiresAt },
        renewal: freshCookies(cookie, place),
      };
    },
    mint(member, { isBound, ...client }) {
      const cookie = mintSessionCookie();
      const secret = isBound ? mintSessionCookie() : null;
      const now = clock();
      const times = { createdAt: now, lastSeenAt: now, expiresAt: now + lifetimeMs };
      const hashes = { hash: hashSessionCookie(cookie), secretHash: hashOrNull(secret) };
      return { cookie, secret, row: { id: randomUUID(), member, ...hashes, ...times, ...client } };
    },
    admit(row) {
      hold(row);
      const beyond = idsOf(row.member).slice(perMember);
      if (beyond.length === 0) return;
      forget(beyond);
      units.removeSessions({ ids: beyond }).catch(onWriteDeferred);
    },
    list: (member, currentId) => sessionsOf(member).map((row) => sessionInfo(row, currentId)),
    listOpen: ({ name, permissions, credentialId }, { limit, after = '' }) =>
      [...sessionById.values()]
        .filter(({ id, member }) => id > after && (permissions.includes('members.manage') || member === name))
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .slice(0, limit)
        .map((row) => sessionInfo(row, credentialId)),
    async endOne(member, id) {
      if (sessionById.get(id)?.member !== member) refuse('unknown_session', { name: member });
      await end(member, { ids: [id], withDevices: false }, 'session_ended');
    },
    endOthers(member, exceptId) {
      const ids = idsOf(member).filter((id) => id !== exceptId);
      return end(member, { ids, withDevices: true }, 'session_ended');
    },
    async endFrom(member, token, exceptId) {
      const ids = idsOf(member).filter((id) => id !== exceptId && sessionById.get(id)?.token === token);
      if (ids.length > 0) await end(member, { ids, withDevices: false }, 'session_ended');
    },
    tokenOf: (id) => sessionById.get(id)?.token ?? null,
    logOut: (member, id) => end(member, { ids: [id], withDevices: false }, 'logout'),
    endRecord,
    forget,
    idsOf,
    has: (id) => sessionById.has(id),
    async load() {
      const now = clock();
      await units.removeExpiredSessions(now);
      for (const row of await units.liveSessions(now)) {
        if (members.find(row.member) !== undefined) hold(row);
      }
    },
    async flush() {
      const latest = clock() - lagMs / 2;
      const used = [...storedSeenAtById]
        .filter(([, storedSeenAt]) => storedSeenAt <= latest)
        .flatMap(([id]) => sessionById.get(id) ?? [])
        .map(({ id, lastSeenAt, expiresAt, address }) => ({ id, lastSeenAt, expiresAt, address }));
      if (used.length === 0) return;
      await units.touchSessions(used);
      for (const { id, lastSeenAt } of used) {
        const session = sessionById.get(id);
        if (session === undefined || session.lastSeenAt === lastSeenAt) storedSeenAtById.delete(id);
        else storedSeenAtById.set(id, lastSeenAt);
      }
    },
  };
}
