/** Device enrollment according to RFC 8628 (specification/enrollment.md). */
import { randomUUID } from 'node:crypto';
import type {
  Approval,
  Approved,
  DeviceAuthorization,
  DeviceToken,
  EnrollmentHistory,
  EnrollRequest,
  PendingEnrollments,
  Rejection,
} from '#protocol/enrollment.ts';
import { refuse } from '#protocol/errors.ts';
import type { MemberName } from '#protocol/ids.ts';
import { limits } from '#protocol/limits.ts';
import type { NewMember, Teammate } from '#protocol/member.ts';
import type { ConfigStore } from '../../config/config-store.ts';
import type { Actor } from '../../runtime/actor.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import { mintDeviceCode, mintUserCode } from '../../security/device-codes.ts';
import { Envelope } from '../../security/envelope.ts';
import { hashToken } from '../../security/token.ts';
import type { Audit } from '../audit/audit.service.ts';
import type { Members } from '../members/members.service.ts';
import type { Tokens } from '../tokens/tokens.service.ts';
import type { CodeState, EnrollmentUnits } from './enrollment.sqlite.ts';
import { maxWaiting } from './waiting-places.ts';

export interface Enrollment {
  /** `base` is where the device reached this broker: scheme and host. */
  enroll(request: EnrollRequest, from: EnrollmentSource): Promise<DeviceAuthorization>;
  /**
   * Returns the token, once. @throws BrokerError authorization_pending, slow_down, expired_token, or
   * access_denied.
   */
  poll(deviceCode: string): Promise<DeviceToken>;
  pending(): Promise<PendingEnrollments>;
  history(): Promise<EnrollmentHistory>;
  /** Member and token appear together or not at all, also when the process ends in between: see finishApprovals. */
  approve(by: Actor, approval: Approval): Promise<Approved>;
  reject(by: MemberName, rejection: Rejection): Promise<void>;
  /**
   * Completes or undoes approvals that were interrupted between the store and the configuration, which
   * decides. Runs at start, before tokens are loaded, and periodically for writes that failed.
   */
  finishApprovals(): Promise<void>;
  /** Ends what is over: codes, tokens that nobody fetched, and history older than 30 days. */
  expire(): Promise<void>;
}

export interface EnrollmentSource {
  base: string;
  sourceIp: string;
  userAgent: string | undefined;
}

export interface EnrollmentDeps {
  units: EnrollmentUnits;
  clock: Clock;
  config: Pick<ConfigStore, 'current' | 'seal' | 'secret'>;
  members: Members;
  /** Adds a member without a primary token. @throws BrokerError bad_request, conflict, unavailable. */
  createMember: (member: NewMember, enrollmentId: string) => Promise<Teammate>;
  /** Whether the approval of this request added this member. */
  wasCreatedBy: (member: string, enrollmentId: string) => boolean;
  audit: Pick<Audit, 'entry'>;
  tokens: Pick<Tokens, 'mint' | 'admit' | 'list' | 'forget' | 'revoke'>;
  /** Whether the credential of a request has not ended meanwhile. */
  isLive: (actor: Actor) => boolean;
  log: Log;
}

const { lifetimeMs, intervalMs, historyMs } = limits.enrollment;
const maxCodesTried = 5;
const maxSourceIpLength = 64;
const sealedField = (id: string): string => `enrollment:${id}`;

export function createEnrollment(deps: EnrollmentDeps): Enrollment {
  const { units, clock, config, members, createMember, wasCreatedBy, audit, tokens, isLive, log } = deps;
  /** Approvals of this process that are between their two writes. */
  const underWay = new Set<string>();

  const known = (name: string): Teammate => {
    const member = members.teammates().find((one) => one.name === name);
    return member ?? refuse('unknown_member', { name });
  };

  function openSealed(id: string, sealed: string): string | null {
    const envelope = Envelope.safeParse(JSON.parse(sealed));
    return envelope.success ? config.secret(envelope.data, sealedField(id)) : null;
  }

  const expired = (): never => refuse('device_code_expired');

  async function expire(): Promise<void> {
    const now = clock();
    const { tokenIds } = await units.expireEnrollments({ now, forgetBefore: now - historyMs });
    tokens.forget(tokenIds);
  }

  const undone = (member: string) => audit.entry('device_approval_undone', { subject: member });

  /**
   * The member first exists in the configuration; only then are the approval and its token valid
   * (specification/enrollment.md#decision).
   */
  async function createFor(id: string, member: NewMember): Promise<void> {
    try {
      await createMember(member, id);
    } catch (error) {
      await units
        .reopenEnrollment({ id, audit: undone(member.name) })
        .catch((err: unknown) => log.error({ err, enrollment: id }, 'an approval is undone later'));
      throw error;
    }
    await units.completeApproval({ id, now: clock() });
  }

  async function decide(actor: Actor, approval: Approval, waiting: CodeState): Promise<Approved> {
    const { memberName } = approval;
    const by = actor.name;
    const { plaintext, row } = tokens.mint({
      member: approval.mode === 'bind' ? known(memberName).name : approval.memberName,
      origin: 'enroll',
      label: approval.label ?? waiting.labelHint ?? '',
      createdBy: by,
      expiresAt: null,
    });
    await units.approveEnrollment({
      id: waiting.id,
      now: clock(),
      by,
      token: row,
      sealedToken: JSON.stringify(config.seal(plaintext, sealedField(waiting.id))),
      settled: approval.mode === 'bind',
      audit: audit.entry('device_approved', {
        subject: memberName,
        after: { mode: approval.mode, tokenId: row.id, label: row.label },
      }),
    });
    if (approval.mode === 'create') {
      const { role, instructions, permissions } = approval;
      await createFor(waiting.id, { name: approval.memberName, role, instructions, permissions });
    } else if (members.find(memberName) === undefined) {
      await tokens.revoke([row.id]);
    } else if (!isLive(actor)) {
      // A rotation that began meanwhile may have looked for tokens before there was this one.
      await tokens.revoke([row.id], undone(memberName));
      return refuse('unauthenticated');
    }
    const member = known(memberName);
    tokens.admit(row);
    log.info(
      { enrollment: waiting.id, mode: approval.mode, member: memberName, tokenId: row.id, by },
      'a device was approved',
    );
    const tokenInfo = tokens.list(memberName).find(({ id }) => id === row.id);
    if (tokenInfo === undefined) throw new Error('an admitted token is not listed');
    return { member, tokenInfo };
  }

  return {
    async enroll({ labelHint }, { base, sourceIp, userAgent }) {
      const deviceCode = mintDeviceCode();
      const now = clock();
      const userCode = await units.openEnrollment({
        maxWaiting: maxWaiting(sourceIp),
        id: randomUUID(),
        deviceHash: hashToken(deviceCode),
        userCodes: Array.from({ length: maxCodesTried }, mintUserCode),
        labelHint: labelHint ?? null,
        // A trusted proxy may send anything.
        sourceIp: sourceIp.slice(0, maxSourceIpLength),
        userAgent: userAgent?.slice(0, limits.userAgent) ?? null,
        createdAt: now,
        expiresAt: now + lifetimeMs,
        intervalMs,
      });
      return {
        deviceCode,
        userCode,
        verificationUri: `${base}/enroll`,
        verificationUriComplete: `${base}/enroll?code=${userCode}`,
        expiresIn: lifetimeMs / 1000,
        interval: intervalMs / 1000,
      };
    },
    async poll(deviceCode) {
      const result = await units.pollEnrollment({ deviceHash: hashToken(deviceCode), now: clock() });
      switch (result.answer) {
        case 'authorization_pending':
          return refuse('enrollment_pending');
        case 'slow_down':
          return refuse('polled_too_soon');
        case 'access_denied':
          return refuse('device_rejected', {}, { errorDescription: result.reason });
        case 'expired_token':
          return expired();
        case 'deliver': {
          const { id, member: name, tokenId, sealedToken } = result;
          const token = openSealed(id, sealedToken);
          const member = members.teammates().find((one) => one.name === name);
          if (token !== null && member !== undefined) {
            log.info({ enrollment: id, member: name, tokenId }, 'a device fetched its token');
            return { token, tokenId, member };
          }
          log.warn(
            { enrollment: id, member: name, tokenId },
            'an approved device received no token, because its sealed copy can no longer be read or its member was removed',
          );
          await tokens.revoke([tokenId]);
          return expired();
        }
      }
    },
    async pending() {
      return { enrollments: await units.pendingEnrollments({ now: clock() }) };
    },
    async history() {
      await expire();
      return { enrollments: await units.enrollmentHistory({ since: clock() - historyMs }) };
    },
    async approve(actor, approval) {
      const waiting =
        (await units.enrollmentByCode({ userCode: approval.userCode })) ?? refuse('unknown_user_code');
      const isFirst = !underWay.has(waiting.id);
      underWay.add(waiting.id);
      try {
        return await decide(actor, approval, waiting);
      } finally {
        if (isFirst) underWay.delete(waiting.id);
      }
    },
    async reject(by, { userCode, reason }) {
      const id = await units.rejectEnrollment({
        userCode,
        now: clock(),
        by,
        reason: reason ?? null,
        audit: audit.entry('device_rejected', { subject: userCode, after: { reason: reason ?? null } }),
      });
      log.info({ enrollment: id, by }, 'a device was rejected');
    },
    async finishApprovals() {
      // Without a configuration, nothing can be decided; a later start will.
      if (config.current === null) return;
      for (const { id, member } of await units.unsettledApprovals()) {
        if (underWay.has(id)) continue;
        if (wasCreatedBy(member, id)) await units.completeApproval({ id, now: clock() });
        else await units.reopenEnrollment({ id, audit: undone(member) });
      }
    },
    expire,
  };
}
