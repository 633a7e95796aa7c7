/**
 * A token of the run's own: enrolled as a device, approved by the caller, and revoked at the end
 * (specification/runner.md#permissions-and-safety).
 */
import { hostname } from 'node:os';
import type { BrokerClient } from '#protocol/client.ts';
import { limits } from '#protocol/limits.ts';

export interface OwnToken {
  token: string;
  tokenId: string;
}

const label = (): string => `run on ${hostname()}`.slice(0, limits.tokenLabel);

/** `caller` needs members.manage; `anonymous` sends no credential. @throws BrokerError. */
export async function enrollRun(
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
