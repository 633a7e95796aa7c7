/** Words of the bridge that change what the broker is need the same permission as its management, asked for each time. */
import type { BrokerClient } from '#protocol/client.ts';
import { BrokerError } from '#protocol/errors.ts';
import { BridgeRefusal } from './bridge-words.ts';

/** Answers the member's name. @throws BridgeRefusal when nobody is logged in here, or somebody without members.manage. */
export async function requireManager(client: BrokerClient): Promise<string> {
  const { member, permissions } = await client.call('session', {}).catch((error: unknown) => {
    throw error instanceof BrokerError ? new BridgeRefusal(error.code, error.message) : error;
  });
  if (!permissions.includes('members.manage'))
    throw new BridgeRefusal('forbidden', 'you may not do this: it needs members.manage');
  return member;
}
