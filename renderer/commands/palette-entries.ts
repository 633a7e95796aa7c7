/** Everything that the command palette can open or do. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { BrokerClient } from '#protocol/client.ts';
import type { FsEntry } from '#protocol/files.ts';
import { limits } from '#protocol/limits.ts';
import { foundFilePages } from '#protocol/lists.ts';
import { channelScope, formatScope } from '#protocol/scope.ts';
import type { SearchReply } from '#protocol/search.ts';
import { useBroker } from '../data/broker.tsx';
import { useObjectiveList } from '../data/objective-lists.ts';
import { fetchObjectiveTitle } from '../data/objective-titles.ts';
import { useChannels, usePendingEnrollments, useRoster } from '../data/queries.ts';
import { useSelf } from '../data/self.tsx';
import { shownParts } from '../features/admin/admin-parts.ts';
import { plainSnippet } from '../features/conversations/plain-snippet.rules.ts';
import { ownParts } from '../features/settings/setting-parts.ts';
import { useSettled } from '../ui/settled.ts';
import { useInboxEntries } from './inbox-entries.ts';
import { findObjectives } from './objective-search.rules.ts';
import type { Entry } from './palette-entry.ts';
import { type CommandContext, offered } from './registry.ts';
import { screenCommands } from './screen-commands.ts';

/** Asks the broker when nothing was typed for this time. */
const settleMs = 150;
/** More are in the search. */
const maxMessages = 5;
const maxFiles = 5;
const maxFilePages = 5;

const searchOf = (q: string, before: string | undefined) => ({
  q,
  limit: String(limits.search.pageMax),
  before,
});

interface TitledObjective {
  id: string;
  title: string;
}

const objectiveEntry = ({ id, title }: TitledObjective, { go }: CommandContext): Entry => ({
  id,
  title: `${title} (${id})`,
  group: 'Objectives',
  run: () => go(`/app/objectives/${id}`),
});

type Result = SearchReply['results'][number];

const messageEntry = ({ id, scope, from, ...found }: Result, { go }: CommandContext): Entry => ({
  id,
  title: `${from}: ${plainSnippet(found).snippet}`,
  group: 'Messages',
  isRemembered: false,
  run: () => go(`/app/conversations/${scope}?message=${encodeURIComponent(id)}`),
});

/** The way to the search for messages. */
export const searchEntry = (q: string, { go }: CommandContext): Entry => ({
  id: 'search-messages',
  title: `Search messages for “${q}”`,
  group: 'Search',
  isRemembered: false,
  run: () => go(`/app/conversations/general?search=${encodeURIComponent(JSON.stringify(q))}`),
});

const fileEntry = ({ path, kind }: FsEntry, { go }: CommandContext): Entry => {
  const folder = path.slice(0, path.lastIndexOf('/')) || '/';
  const place = kind === 'directory' ? { path } : { path: folder, file: path };
  return {
    id: `file-${path}`,
    title: path,
    group: 'Files',
    isRemembered: false,
    run: () => go(`/app/files?${new URLSearchParams(place)}`),
  };
};

/** Files are a help: the rest is found also if they cannot be searched, and a long search for them ends. */
async function foundFiles(client: BrokerClient, q: string): Promise<FsEntry[]> {
  const found: FsEntry[] = [];
  let pages = 0;
  try {
    for await (const page of foundFilePages(client, q)) {
      found.push(...page);
      pages += 1;
      if (found.length >= maxFiles || pages === maxFilePages) break;
    }
  } catch {
    return found;
  }
  return found.slice(0, maxFiles);
}

export interface FoundEntries {
  entries: readonly Entry[];
  isSearching: boolean;
}

/** Returns the objectives, files, and messages that the broker finds for the query. */
export function useFoundEntries(query: string, context: CommandContext): FoundEntries {
  const { client } = useBroker();
  const cache = useQueryClient();
  const q = useSettled(query.trim(), settleMs);
  const { data, isFetching } = useQuery({
    queryKey: ['objectiveSearch', q],
    enabled: q !== '',
    staleTime: 0,
    gcTime: 0,
    queryFn: async () => {
      const messages: Result[] = [];
      const files = foundFiles(client, q);
      const ids = await findObjectives(q, async (before) => {
        const reply = await client.call('search', { query: searchOf(q, before) });
        messages.push(...reply.results.filter(({ kind }) => kind === 'message'));
        messages.splice(maxMessages);
        return reply;
      });
      const titled = ids.map(async (id) => ({ id, title: await fetchObjectiveTitle(cache, client, id) }));
      return { objectives: await Promise.all(titled), messages, files: await files };
    },
  });
  // An answer to what was typed before must not be opened by Enter.
  const isAnswer = q === query.trim();
  const entries = useMemo(() => {
    if (!isAnswer || data === undefined) return [];
    const objectives = data.objectives.flatMap(({ id, title }) =>
      title === null ? [] : [objectiveEntry({ id, title }, context)],
    );
    return [
      ...objectives,
      ...data.files.map((one) => fileEntry(one, context)),
      ...data.messages.map((one) => messageEntry(one, context)),
    ];
  }, [data, isAnswer, context]);
  return { entries, isSearching: isFetching || !isAnswer };
}

export function useEntries(context: CommandContext): Entry[] {
  const self = useSelf().member;
  const { data: roster } = useRoster();
  const { data: channels } = useChannels();
  const { data: devices } = usePendingEnrollments();
  const { objectives } = useObjectiveList({ status: 'open' });
  const ofInbox = useInboxEntries(context);
  return useMemo(() => {
    const entry = (id: string, title: string, group: string, to: string): Entry => ({
      id,
      title,
      group,
      run: () => context.go(to),
    });
    const names = (roster?.teammates ?? []).map(({ name }) => name);
    return [
      ...(context.may('approveEnrollment') ? (devices?.enrollments ?? []) : []).map(
        ({ userCode, labelHint }) => ({
          ...entry(
            `approve-${userCode}`,
            `Approve ${userCode}: ${labelHint ?? 'unnamed device'}…`,
            'Machines',
            `/app/admin/machines?approve=${encodeURIComponent(userCode)}`,
          ),
          isRemembered: false,
        }),
      ),
      ...screenCommands().map(({ id, title, group, keys, run }) => ({
        id,
        title,
        group,
        keys,
        isRemembered: false,
        run: () => run(context),
      })),
      ...offered(context).map(({ id, title, group, keys, run }) => ({
        id,
        title,
        group,
        keys,
        isRemembered: group !== 'Session',
        run: () => run(context),
      })),
      ...ofInbox,
      ...names.map((name) =>
        entry(
          `member-${name}`,
          name,
          'Members',
          `/app/admin/people?member=${encodeURIComponent(JSON.stringify(name))}`,
        ),
      ),
      ...names
        .filter((name) => name !== self)
        .map((name) =>
          entry(
            `dm-${name}`,
            `Message ${name}`,
            'Direct messages',
            `/app/conversations/${formatScope({ kind: 'direct', member: name })}`,
          ),
        ),
      ...(channels?.channels ?? []).map(({ id, slug }) =>
        entry(`channel-${id}`, `#${slug}`, 'Channels', `/app/conversations/${formatScope(channelScope(id))}`),
      ),
      ...shownParts(context.may).map(({ to, label }) => entry(to, `Admin: ${label}`, 'Admin', to)),
      ...ownParts.map(({ value, label }) =>
        entry(`setting-${value}`, `Me: ${label}`, 'Me', `/app/me?part=${value}`),
      ),
      ...(objectives ?? []).map((objective) => objectiveEntry(objective, context)),
    ];
  }, [context, roster, channels, devices, objectives, ofInbox, self]);
}
