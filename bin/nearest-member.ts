/** Adds the name that was probably meant when the broker knows no member of that name. */
import type { BrokerClient } from '#protocol/client.ts';
import { BrokerError, isRefusedFor } from '#protocol/errors.ts';
import { nearestWord } from './nearest-word.ts';

/** Returns a client that asks for the roster after such a refusal, and keeps everything else of it. */
export const withNearestMember = (client: BrokerClient): BrokerClient => ({
  async call(id, input) {
    try {
      return await client.call(id, input);
    } catch (error) {
      throw error instanceof BrokerError ? await advised(client, error) : error;
    }
  },
});

async function advised(client: BrokerClient, error: BrokerError): Promise<BrokerError> {
  if (!isRefusedFor(error, 'unknown_member') && !isRefusedFor(error, 'unknown_participant')) return error;
  const written = /"([^"]+)"/.exec(error.message)?.[1] ?? '';
  const roster = await client.call('roster', {}).catch(() => null);
  const near = nearestWord(written, roster?.teammates.map(({ name }) => name) ?? []);
  if (near === undefined) return error;
  const { code, status, reason } = error;
  return new BrokerError(code, `${error.message}. Did you mean "${near}"?`, { status, reason });
}
