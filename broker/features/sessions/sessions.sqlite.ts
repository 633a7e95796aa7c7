/**
 * Sessions and used TOTP steps in the main store. Of a cookie, only the hash is stored
 * (specification/authentication.md#sessions).
 */
import type Database from 'better-sqlite3';
import type { AuditEntry } from '#protocol/audit.ts';
import type { AsyncUnits } from '../../storage/units.ts';
import { auditTrail } from '../audit/audit-trail.sqlite.ts';
import { knownDeviceRows } from './known-devices.sqlite.ts';

export interface SessionRow {
  /** A UUID that identifies the session when its streams must end. */
  id: string;
  /** `sha256:<hex>` of the cookie. */
  hash: string;
  member: string;
  createdAt: number;
  lastSeenAt: number;
  expiresAt: number;
  /** The device that opened it, in plain words; empty for a session that was opened before this was recorded. */
  device: string;
  /** The address that used it last. */
  address: string;
  /** `sha256:<hex>` of the secret of a bound session; null for a session that works by its cookie alone. */
  secretHash: string | null;
  /** The id of the token from which it descends; null without one. */
  token: string | null;
}

export interface OpenedSession {
  session: SessionRow;
  /** The step of the code that opens it; null if no code of an authenticator does. */
  step: number | null;
  audit: AuditEntry;
}

interface EndedSessions {
  ids: string[];
  devicesOf?: string;
  audit?: AuditEntry;
}

/** The columns of a session that its use changes. */
export type SessionUse = Pick<SessionRow, 'id' | 'lastSeenAt' | 'expiresAt' | 'address'>;

const columns = `id, hash, member, created_at AS createdAt, last_seen_at AS lastSeenAt, expires_at AS expiresAt,
  device, address, secret_hash AS secretHash, token`;

/** For the unit that removes a member. */
export function sessionRows(db: Database.Database) {
  const removeOf = db.prepare<[string]>('DELETE FROM session WHERE member = ?');
  const removeStep = db.prepare<[string]>('DELETE FROM totp_step WHERE member = ?');
  const devices = knownDeviceRows(db);
  return {
    removeOf: (member: string): void => {
      removeOf.run(member);
      devices.removeOf(member);
      removeStep.run(member);
    },
  };
}

export function sessionUnits(db: Database.Database) {
  const trail = auditTrail(db);
  const live = db.prepare<[number], SessionRow>(`SELECT ${columns} FROM session WHERE expires_at > ?`);
  const insert = db.prepare<SessionRow>(
    `INSERT INTO session (id, hash, member, created_at, last_seen_at, expires_at, device, address, secret_hash, token)
     VALUES (:id, :hash, :member, :createdAt, :lastSeenAt, :expiresAt, :device, :address, :secretHash, :token)`,
  );
  const touch = db.prepare<SessionUse>(
    'UPDATE session SET last_seen_at = :lastSeenAt, expires_at = :expiresAt, address = :address WHERE id = :id',
  );
  const remove = db.prepare<[string]>('DELETE FROM session WHERE id = ?');
  const removeExpired = db.prepare<[number]>('DELETE FROM session WHERE expires_at <= ?');
  const lastStep = db.prepare<[string], number>('SELECT step FROM totp_step WHERE member = ?').pluck();
  const useStep = db.prepare<[string, number]>(
    `INSERT INTO totp_step (member, step) VALUES (?, ?) ON CONFLICT (member) DO UPDATE SET step = excluded.step`,
  );
  const removeStep = db.prepare<[string]>('DELETE FROM totp_step WHERE member = ?');
  const devices = knownDeviceRows(db);
  return {
    reads: {},
    upkeep: {
      liveSessions: (now: number): SessionRow[] => live.all(now),
    },
    writes: {
      /**
       * Uses a code's step and opens the session. Returns false, with nothing done, if that step or a later
       * one was used before.
       */
      openSession: ({ session, step, audit }: OpenedSession): boolean => {
        if (step !== null) {
          if ((lastStep.get(session.member) ?? -1) >= step) return false;
          useStep.run(session.member, step);
        }
        insert.run(session);
        trail.append(audit);
        return true;
      },
      /** Uses a code's step. Returns false, with nothing done, if that step or a later one was used before. */
      spendTotpStep: ({ member, step }: { member: string; step: number }): boolean => {
        if ((lastStep.get(member) ?? -1) >= step) return false;
        useStep.run(member, step);
        return true;
      },
      touchSessions: (sessions: SessionUse[]): void => {
        for (const use of sessions) touch.run(use);
      },
      /**
       * `devicesOf`: the member whose known devices are forgotten too. Without `audit`, the audit log does not
       * have it: it is upkeep, or nothing ends.
       */
      removeSessions: ({ ids, devicesOf, audit }: EndedSessions): void => {
        for (const id of ids) remove.run(id);
        if (devicesOf !== undefined) devices.removeOf(devicesOf);
        if (audit !== undefined) trail.append(audit);
      },
      removeExpiredSessions: (now: number): void => void removeExpired.run(now),
      /** After a new authenticator, the old one's step is meaningless, and what it opened ends. */
      forgetAuthenticator: ({
        member,
        sessions,
        step,
        audit,
      }: {
        member: string;
        sessions: string[];
        /** The step of the new one that its confirmation used up; null without one. */
        step: number | null;
        audit: AuditEntry | null;
      }): void => {
        if (audit !== null) trail.append(audit);
        removeStep.run(member);
        if (step !== null) useStep.run(member, step);
        devices.removeOf(member);
        for (const id of sessions) remove.run(id);
      },
    },
  };
}
export type SessionUnits = AsyncUnits<typeof sessionUnits>;
