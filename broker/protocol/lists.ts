/** The lists of the broker that may be long, page by page. All of them throw what the client throws. */
import type { ChannelSummary } from './channel.ts';
import type { BrokerClient, CallInput } from './client.ts';
import type { FsEntry } from './files.ts';
import { limits } from './limits.ts';
import type { MemberList, Teammate } from './member.ts';
import type { Objective } from './objective.ts';
import { type Pages, pagesOf } from './pages.ts';
import type { Presence } from './presence.ts';

type Caller = Pick<BrokerClient, 'call'>;

export interface RosterEntry {
  teammate: Teammate;
  presence: Presence | undefined;
}

const pageQuery = (limit: number, after: string | undefined) => ({ limit: String(limit), after });

const nameOf = ({ name }: { name: string }): string => name;

/** By name, after the one with the name `after`. */
export const rosterPages = (client: Caller, after?: string): Pages<RosterEntry> =>
  pagesOf({
    pageSize: limits.listPageMax,
    after,
    keyOf: ({ teammate }) => teammate.name,
    async ask(place) {
      const query = pageQuery(limits.listPageMax, place);
      const { teammates, connected } = await client.call('roster', { query });
      const presenceByName = new Map<string, Presence>(connected.map((one) => [one.name, one]));
      return teammates.map((teammate) => ({ teammate, presence: presenceByName.get(teammate.name) }));
    },
  });

/** By name; with private fields for managers. */
export const memberPages = (client: Caller): Pages<MemberList['members'][number]> =>
  pagesOf({
    pageSize: limits.listPageMax,
    keyOf: nameOf,
    ask: async (after) =>
      (await client.call('members', { query: pageQuery(limits.listPageMax, after) })).members,
  });

/** `general` first, and then by slug. */
export const channelPages = (client: Caller): Pages<ChannelSummary> =>
  pagesOf({
    pageSize: limits.listPageMax,
    keyOf: ({ slug }) => slug,
    ask: async (after) =>
      (await client.call('channels', { query: pageQuery(limits.listPageMax, after) })).channels,
  });

const pathOf = ({ path }: FsEntry): string => path;

/** By path, after the one with the path `after`. */
export const folderPages = (client: Caller, path: string, after?: string): Pages<FsEntry> =>
  pagesOf({
    pageSize: limits.fsListMax,
    after,
    keyOf: pathOf,
    ask: async (place) =>
      (await client.call('listFiles', { query: { path, ...pageQuery(limits.fsListMax, place) } })).entries,
  });

/** By path, after the one with the path `after`. */
export const sharedFilePages = (client: Caller, after?: string): Pages<FsEntry> =>
  pagesOf({
    pageSize: limits.fsListMax,
    after,
    keyOf: pathOf,
    ask: async (place) =>
      (await client.call('sharedFiles', { query: pageQuery(limits.fsListMax, place) })).entries,
  });

/** Newest first. */
export const objectivePages = (
  client: Caller,
  { before: after, ...filters }: Omit<CallInput<'objectives'>['query'] & object, 'limit'>,
): Pages<Objective> =>
  pagesOf({
    pageSize: limits.objective.listMax,
    keyOf: ({ id }) => id,
    after,
    ask: async (before) => {
      const query = { ...filters, before, limit: String(limits.objective.listMax) };
      return (await client.call('objectives', { query })).objectives;
    },
  });
