/** Adds the name that was probably meant when the broker knows no member or no channel of that name. */
import { readChannelSlugs } from '#client/channel-slugs.ts';
import { nearestWord } from '#platform/nearest-word.ts';
import { generalSlug } from '#protocol/channel.ts';
import type { BrokerClient } from '#protocol/client.ts';
import { BrokerError, isRefusedFor } from '#protocol/errors.ts';

/** Returns a client that asks for the names after such a refusal, and keeps everything else of it. */
export const withNearestName = (client: BrokerClient): BrokerClient => ({
  async call(id, input) {
    try {
      return await client.call(id, input);
    } catch (error) {
      throw error instanceof BrokerError ? await advised(client, error) : error;
    }
  },
});

async function advised(client: BrokerClient, error: BrokerError): Promise<BrokerError> {
  const { code, status, reason, message } = error;
  const withAdvice = (text: string, near: string | undefined): BrokerError =>
    near === undefined
      ? error
      : new BrokerError(code, `${text}. Did you mean "${near}"?`, { status, reason });
  if (isRefusedFor(error, 'unknown_channel_slug')) {
    const written = /#(\S+)/.exec(message)?.[1] ?? '';
    const slugs = await readChannelSlugs(client).catch(() => new Map<string, string>());
    const near = nearestWord(written, [generalSlug, ...slugs.values()]);
    return withAdvice(`there is no channel "${written}"`, near);
  }
  if (!isRefusedFor(error, 'unknown_member') && !isRefusedFor(error, 'unknown_participant')) return error;
  const written = /"([^"]+)"/.exec(message)?.[1] ?? '';
  const roster = await client.call('roster', {}).catch(() => null);
  return withAdvice(message, nearestWord(written, roster?.teammates.map(({ name }) => name) ?? []));
}
