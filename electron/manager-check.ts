/**
 * Bridge calls that show or change this machine need `members.manage`, which is read from the session at each
 * call.
 */
import type { BrokerClient } from '#protocol/client.ts';
import { Refusal } from './refusal.ts';

/** Returns the name of the member who is logged in. @throws BrokerError if nobody is, Refusal if the member lacks members.manage. */
export async function requireManager(client: BrokerClient): Promise<string> {
  const { member, permissions } = await client.call('session', {});
  if (!permissions.includes('members.manage'))
    throw new Refusal('forbidden', 'you may not do this; it needs the permission members.manage');
  return member;
}
