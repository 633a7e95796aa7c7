/** Device enrollments in the main store. A token's row and its enrollment change in one transaction. */
import type Database from 'better-sqlite3';
import type { AuditEntry } from '#protocol/audit.ts';
import type { EnrollmentHistory, PendingEnrollment } from '#protocol/enrollment.ts';
import { refuse } from '#protocol/errors.ts';
import type { AsyncUnits } from '../../storage/units.ts';
import { auditTrail } from '../audit/audit-trail.sqlite.ts';
import { tokenRows } from '../tokens/tokens.sqlite.ts';
import { answerPoll, assertUndecided, type EnrollmentStatus, type PollState } from './enrollment.rules.ts';

type TokenRow = Parameters<ReturnType<typeof tokenRows>['insert']>[0];

/** At most this many devices wait at once, which limits the table and the odds of a mistyped code. */
/** Newest first; older decisions are only in the store's file. */
const maxHistoryRows = 1000;

export interface NewEnrollment {
  /** How many devices may wait, this one included. */
  maxWaiting: number;
  id: string;
  deviceHash: string;
  /** Tried in turn until one is not used by a waiting device. */
  userCodes: readonly string[];
  labelHint: string | null;
  sourceIp: string;
  userAgent: string | null;
  createdAt: number;
  expiresAt: number;
  intervalMs: number;
}

/** The known state of a code when it is decided. */
export interface CodeState {
  id: string;
  status: EnrollmentStatus;
  expiresAt: number;
  labelHint: string | null;
}

export interface Unsettled {
  id: string;
  member: string;
}

type Polled = PollState & {
  id: string;
  reason: string | null;
  member: string;
  tokenId: string;
  sealedToken: string;
};

export type PollResult =
  | { answer: 'authorization_pending' | 'slow_down' | 'expired_token' }
  | { answer: 'access_denied'; reason: string | null }
  | { answer: 'deliver'; id: string; member: string; tokenId: string; sealedToken: string };

export type HistoryEntry = EnrollmentHistory['enrollments'][number];

export function enrollmentUnits(db: Database.Database) {
  const tokens = tokenRows(db);
  const trail = auditTrail(db);
  const insert = db.prepare<Omit<NewEnrollment, 'userCodes' | 'maxWaiting'> & { userCode: string }>(
    `INSERT INTO enrollment (id, device_hash, user_code, status, label_hint, source_ip, user_agent, created_at, expires_at, interval_ms)
     VALUES (:id, :deviceHash, :userCode, 'pending', :labelHint, :sourceIp, :userAgent, :createdAt, :expiresAt, :intervalMs)`,
  );
  const inUse = db.prepare<[string], { id: string }>(
    `SELECT id FROM enrollment WHERE user_code = ? AND status = 'pending'`,
  );
  const waiting = db.prepare<[], { count: number; oldest: number | null }>(
    `SELECT count(*) AS count, min(expires_at) AS oldest FROM enrollment WHERE status = 'pending'`,
  );
  const byCode = db.prepare<[string], CodeState>(
    `SELECT id, status, expires_at AS expiresAt, label_hint AS labelHint FROM enrollment
     WHERE user_code = ? ORDER BY created_at DESC LIMIT 1`,
  );
  const byId = db.prepare<[string], CodeState>(
    `SELECT id, status, expires_at AS expiresAt, label_hint AS labelHint FROM enrollment WHERE id = ?`,
  );
  const byDevice = db.prepare<[string], Polled>(
    `SELECT id, status, expires_at AS expiresAt, interval_ms AS intervalMs, polled_at AS polledAt, reason, member,
       token_id AS tokenId, sealed_token AS sealedToken,
       sealed_token IS NOT NULL AND EXISTS (SELECT 1 FROM token WHERE token.id = token_id) AS holdsToken
     FROM enrollment WHERE device_hash = ?`,
  );
  const pending = db.prepare<[number], PendingEnrollment>(
    `SELECT user_code AS userCode, label_hint AS labelHint, source_ip AS sourceIp, user_agent AS userAgent,
       created_at AS createdAt, expires_at AS expiresAt
     FROM enrollment WHERE status = 'pending' AND expires_at > ? ORDER BY expires_at`,
  );
  const history = db.prepare<[number, number], HistoryEntry>(
    `SELECT user_code AS userCode, label_hint AS labelHint, source_ip AS sourceIp, user_agent AS userAgent,
       created_at AS createdAt, status AS outcome, decided_at AS decidedAt, decided_by AS decidedBy, member AS memberName, reason
     FROM enrollment WHERE decided_at >= ? ORDER BY decided_at DESC LIMIT ?`,
  );
  const polled = db.prepare<[number, number, string]>(
    'UPDATE enrollment SET polled_at = ?, interval_ms = ? WHERE id = ?',
  );
  const deliver = db.prepare<[number, string]>(
    'UPDATE enrollment SET delivered_at = ?, sealed_token = NULL WHERE id = ?',
  );
  const approve = db.prepare<{
    id: string;
    status: EnrollmentStatus;
    at: number | null;
    by: string;
    member: string;
    tokenId: string;
    sealedToken: string;
  }>(
    `UPDATE enrollment SET status = :status, decided_at = :at, decided_by = :by, member = :member, token_id = :tokenId,
       sealed_token = :sealedToken WHERE id = :id`,
  );
  const markSettled = db.prepare<[number, string]>(
    `UPDATE enrollment SET status = 'approved', decided_at = ? WHERE id = ? AND status = 'approving'`,
  );
  const reopen = db.prepare<[string], { tokenId: string }>(
    `UPDATE enrollment SET status = 'pending', decided_by = NULL, member = NULL, sealed_token = NULL
     WHERE id = ? AND status = 'approving' RETURNING token_id AS tokenId`,
  );
  const unsettled = db.prepare<[], Unsettled>(`SELECT id, member FROM enrollment WHERE status = 'approving'`);
  const reject = db.prepare<[number, string, string | null, string]>(
    `UPDATE enrollment SET status = 'rejected', decided_at = ?, decided_by = ?, reason = ? WHERE id = ?`,
  );
  const expire = db.prepare<[number]>(
    `UPDATE enrollment SET status = 'expired', decided_at = expires_at WHERE status = 'pending' AND expires_at <= ?`,
  );
  const wipe = db.prepare<[number], { tokenId: string }>(
    `UPDATE enrollment SET sealed_token = NULL WHERE sealed_token IS NOT NULL AND expires_at <= ? AND status = 'approved'
     RETURNING token_id AS tokenId`,
  );
  const forget = db.prepare<[number]>('DELETE FROM enrollment WHERE decided_at < ?');

  return {
    reads: {
      enrollmentByCode: (input: { userCode: string }): CodeState | undefined => byCode.get(input.userCode),
      pendingEnrollments: (input: { now: number }): PendingEnrollment[] => pending.all(input.now),
      enrollmentHistory: (input: { since: number }): HistoryEntry[] =>
        history.all(input.since, maxHistoryRows),
    },
    upkeep: {
      unsettledApprovals: (): Unsettled[] => unsettled.all(),
    },
    writes: {
      openEnrollment: ({ userCodes, maxWaiting, ...enrollment }: NewEnrollment): string => {
        expire.run(enrollment.createdAt);
        const { count = 0, oldest = null } = waiting.get() ?? {};
        if (count >= maxWaiting) {
          const seconds = Math.max(1, Math.ceil(((oldest ?? 0) - enrollment.createdAt) / 1000));
          refuse('too_many_devices', { seconds }, { retryAfter: seconds });
        }
        const userCode = userCodes.find((code) => inUse.get(code) === undefined);
        if (userCode === undefined) refuse('no_free_code');
        insert.run({ ...enrollment, userCode });
        return userCode;
      },
      /**
       * Marks the delivery together with the answer, so that exactly one of several polls at once gets the
       * token.
       */
      pollEnrollment: (input: { deviceHash: string; now: number }): PollResult => {
        const found = byDevice.get(input.deviceHash);
        const answer = answerPoll(found && { ...found, holdsToken: Boolean(found.holdsToken) }, input.now);
        if (found === undefined) return { answer: 'expired_token' };
        switch (answer.answer) {
          case 'authorization_pending':
          case 'slow_down':
            // A device that polls constantly causes no further writes once it can only wait for the end.
            if (found.intervalMs < found.expiresAt - input.now)
              polled.run(input.now, answer.intervalMs, found.id);
            return { answer: answer.answer };
          case 'access_denied':
            return { answer: answer.answer, reason: found.reason };
          case 'deliver': {
            const { id, member, tokenId, sealedToken } = found;
            deliver.run(input.now, id);
            return { answer: answer.answer, id, member, tokenId, sealedToken };
          }
          case 'expired_token':
            return { answer: answer.answer };
        }
      },
      /**
       * `settled: false`: the member is still to be written, and the device keeps waiting until
       * completeApproval.
       */
      approveEnrollment: (input: {
        id: string;
        now: number;
        by: string;
        token: TokenRow;
        sealedToken: string;
        settled: boolean;
        audit: AuditEntry;
      }): void => {
        const { id, now, by, token, sealedToken, settled, audit } = input;
        assertUndecided(byId.get(id), now);
        tokens.insert(token);
        trail.append(audit);
        approve.run({
          id,
          status: settled ? 'approved' : 'approving',
          at: settled ? now : null,
          by,
          member: token.member,
          tokenId: token.id,
          sealedToken,
        });
      },
      completeApproval: (input: { id: string; now: number }): void =>
        void markSettled.run(input.now, input.id),
      /** The member could not be written, so token and decision never existed. */
      reopenEnrollment: (input: { id: string; audit: AuditEntry }): void => {
        const reopened = reopen.get(input.id);
        if (reopened === undefined) return;
        tokens.remove(reopened.tokenId);
        trail.append({ ...input.audit, before: { tokenId: reopened.tokenId } });
      },
      rejectEnrollment: (input: {
        userCode: string;
        now: number;
        by: string;
        reason: string | null;
        audit: AuditEntry;
      }): string => {
        const { id } = assertUndecided(byCode.get(input.userCode), input.now);
        reject.run(input.now, input.by, input.reason, id);
        trail.append(input.audit);
        return id;
      },
      /**
       * Ends what is over: codes expire, tokens that were never fetched go with their sealed plaintext, and
       * old history is deleted.
       */
      expireEnrollments: (input: { now: number; forgetBefore: number }): { tokenIds: string[] } => {
        expire.run(input.now);
        const tokenIds = wipe.all(input.now).map(({ tokenId }) => tokenId);
        for (const id of tokenIds) tokens.remove(id);
        forget.run(input.forgetBefore);
        return { tokenIds };
      },
    },
  };
}
export type EnrollmentUnits = AsyncUnits<typeof enrollmentUnits>;
