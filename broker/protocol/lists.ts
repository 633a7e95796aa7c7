/** The lists of the broker that may be long, page by page. All of them throw what the client throws. */
import type { ChannelSummary } from './channel.ts';
import type { BrokerClient, CallInput } from './client.ts';
import type { FsEntry, FsFound } from './files.ts';
import { limits } from './limits.ts';
import type { MemberList, Teammate } from './member.ts';
import type { KindOfMember } from './member-kind.ts';
import type { Objective } from './objective.ts';
import { type Pages, pagesOf } from './pages.ts';
import type { Presence } from './presence.ts';
import type { SessionInfo } from './session.ts';
import type { Device } from './token.ts';

type Caller = Pick<BrokerClient, 'call'>;

export interface RosterEntry {
  teammate: Teammate;
  presence: Presence | undefined;
}

/** The requested part of a list: the items that follow the key `after`, in pages of at most `max`. */
interface ListPart {
  after?: string | undefined;
  max?: number | undefined;
}

/** `most`: how many items the broker lists at a time. */
const partOf = ({ after, max }: ListPart, most: number) => ({
  after,
  pageSize: Math.min(max ?? most, most),
});

const pageQuery = (limit: number, after: string | undefined) => ({ limit: String(limit), after });

const nameOf = ({ name }: { name: string }): string => name;

/** By name, after the one with the name `after`. */
export const rosterPages = (client: Caller, part: ListPart = {}): Pages<RosterEntry> =>
  pagesOf({
    ...partOf(part, limits.listPageMax),
    keyOf: ({ teammate }) => teammate.name,
    async ask(place, size) {
      const query = pageQuery(size, place);
      const { teammates, connected } = await client.call('roster', { query });
      const presenceByName = new Map<string, Presence>(connected.map((one) => [one.name, one]));
      return teammates.map((teammate) => ({ teammate, presence: presenceByName.get(teammate.name) }));
    },
  });

/** By name, after the one with the name `after`; with private fields for managers. */
export const memberPages = (client: Caller, part: ListPart = {}): Pages<MemberList['members'][number]> =>
  pagesOf({
    ...partOf(part, limits.listPageMax),
    keyOf: nameOf,
    ask: async (place, size) => (await client.call('members', { query: pageQuery(size, place) })).members,
  });

/** By name. */
export const kindPages = (client: Caller): Pages<KindOfMember> =>
  pagesOf({
    pageSize: limits.listPageMax,
    keyOf: nameOf,
    ask: async (place, size) => (await client.call('memberKinds', { query: pageQuery(size, place) })).kinds,
  });

/** `general` first, and then by slug. */
export const channelPages = (client: Caller): Pages<ChannelSummary> =>
  pagesOf({
    pageSize: limits.listPageMax,
    keyOf: ({ slug }) => slug,
    ask: async (place, size) => (await client.call('channels', { query: pageQuery(size, place) })).channels,
  });

/** In the order of the ids. */
export const devicePages = (client: Caller): Pages<Device> =>
  pagesOf({
    pageSize: limits.listPageMax,
    keyOf: ({ id }) => id,
    ask: async (place, size) => (await client.call('devices', { query: pageQuery(size, place) })).devices,
  });

/** In the order of the ids. */
export const sessionPages = (client: Caller): Pages<SessionInfo> =>
  pagesOf({
    pageSize: limits.listPageMax,
    keyOf: ({ id }) => id,
    ask: async (place, size) =>
      (await client.call('openSessions', { query: pageQuery(size, place) })).sessions,
  });

const pathOf = ({ path }: FsEntry): string => path;

/** By path, after the one with the path `after`. */
export const folderPages = (client: Caller, path: string, part: ListPart = {}): Pages<FsEntry> =>
  pagesOf({
    ...partOf(part, limits.fsListMax),
    keyOf: pathOf,
    ask: async (place, size) =>
      (await client.call('listFiles', { query: { path, ...pageQuery(size, place) } })).entries,
  });

/** By path, after the one with the path `after`. */
export const sharedFilePages = (client: Caller, part: ListPart = {}): Pages<FsEntry> =>
  pagesOf({
    ...partOf(part, limits.fsListMax),
    keyOf: pathOf,
    ask: async (place, size) => (await client.call('sharedFiles', { query: pageQuery(size, place) })).entries,
  });

/** Files and folders that are found by words in their names, by path. A page may be empty before the end. */
export async function* foundFilePages(client: Caller, q: string): AsyncGenerator<readonly FsEntry[]> {
  for (let after: string | null | undefined; after !== null; ) {
    const { entries, next }: FsFound = await client.call('findFiles', { query: { q, after } });
    yield entries;
    after = next;
  }
}

/** Newest first. */
export const objectivePages = (
  client: Caller,
  { before: after, ...filters }: Omit<CallInput<'objectives'>['query'] & object, 'limit'>,
  { max }: Pick<ListPart, 'max'> = {},
): Pages<Objective> =>
  pagesOf({
    ...partOf({ after, max }, limits.objective.listMax),
    keyOf: ({ id }) => id,
    ask: async (before, size) => {
      const query = { ...filters, before, limit: String(size) };
      return (await client.call('objectives', { query })).objectives;
    },
  });
