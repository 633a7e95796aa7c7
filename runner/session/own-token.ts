/**
 * A token of the run's own, which expires unless the run renews its lease, and which is revoked at the end
 * (specification/authentication.md#tokens-of-runs).
 */
import { hostname } from 'node:os';
import type { BrokerClient } from '#protocol/client.ts';
import { isUnknownOperation } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';

export interface OwnToken {
  token: string;
  tokenId: string;
}

const label = (): string => `run on ${hostname()}`.slice(0, limits.tokenLabel);

/** `caller` needs members.manage; `anonymous` sends no credential. @throws BrokerError. */
export async function createRunToken(
  caller: BrokerClient,
  anonymous: BrokerClient,
  memberName: string,
): Promise<OwnToken> {
  try {
    const body = { label: label() };
    const { token, tokenInfo } = await caller.call('createRunToken', { params: { name: memberName }, body });
    return { token, tokenId: tokenInfo.id };
  } catch (error) {
    if (!isUnknownOperation(error)) throw error;
    return enrollRun(caller, anonymous, memberName);
  }
}

/** Enrolls the run as a device and approves it, at most ten times an hour from one address. */
async function enrollRun(
  caller: BrokerClient,
  anonymous: BrokerClient,
  memberName: string,
): Promise<OwnToken> {
  const { deviceCode, userCode } = await anonymous.call('enroll', { body: { labelHint: label() } });
  await caller.call('approveEnrollment', {
    body: { mode: 'bind', userCode, memberName, label: label() },
  });
  const { token, tokenId } = await anonymous.call('pollEnrollment', { body: { deviceCode } });
  return { token, tokenId };
}
