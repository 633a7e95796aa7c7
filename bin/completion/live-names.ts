/** The names that only the broker knows, for the completion in a shell. */
import { readChannelSlugs } from '#client/channel-slugs.ts';
import { generalSlug } from '#protocol/channel.ts';
import type { BrokerClient } from '#protocol/client.ts';
import type { Candidate, LiveNames } from './candidates.ts';

const maxObjectives = '50';

/** @param connect is called only when a name is asked for. */
export function liveNames(connect: () => Promise<BrokerClient>): LiveNames {
  return {
    async members(): Promise<Candidate[]> {
      const { teammates } = await (await connect()).call('roster', {});
      return teammates.map(({ name, role }) => ({ value: name, text: role.title }));
    },
    async channels(): Promise<Candidate[]> {
      const slugs = await readChannelSlugs(await connect());
      return [...new Set([generalSlug, ...slugs.values()])].map((value) => ({ value }));
    },
    async objectives(): Promise<Candidate[]> {
      const { objectives } = await (await connect()).call('objectives', { query: { limit: maxObjectives } });
      return objectives.map(({ id, title }) => ({ value: id, text: title }));
    },
  };
}
