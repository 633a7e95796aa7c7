/** Everything that the command palette can open or do. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { limits } from '#protocol/limits.ts';
import { channelScope, formatScope } from '#protocol/scope.ts';
import { useBroker } from '../data/broker.tsx';
import { useObjectiveList } from '../data/objective-lists.ts';
import { fetchObjectiveTitle } from '../data/objective-titles.ts';
import { useChannels, useRoster } from '../data/queries.ts';
import { useSelf } from '../data/self.tsx';
import { useSettled } from '../ui/settled.ts';
import { findObjectives } from './objective-search.rules.ts';
import { type CommandContext, offered } from './registry.ts';

/** Asks the broker when nothing was typed for this time. */
const settleMs = 150;

const searchOf = (q: string, before: string | undefined) => ({
  q,
  limit: String(limits.search.pageMax),
  before,
});

export interface Entry {
  id: string;
  title: string;
  group: string;
  keys?: string | undefined;
  run(): void;
}

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

export interface FoundEntries {
  entries: readonly Entry[];
  isSearching: boolean;
}

/** Returns the objectives that the broker finds for the query, whether they are loaded or not. */
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
      const ids = await findObjectives(q, (before) => client.call('search', { query: searchOf(q, before) }));
      const titled = ids.map(async (id) => ({ id, title: await fetchObjectiveTitle(cache, client, id) }));
      return Promise.all(titled);
    },
  });
  // An answer to what was typed before must not be opened by Enter.
  const isAnswer = q === query.trim();
  const entries = useMemo(
    () =>
      (isAnswer ? (data ?? []) : []).flatMap(({ id, title }) =>
        title === null ? [] : [objectiveEntry({ id, title }, context)],
      ),
    [data, isAnswer, context],
  );
  return { entries, isSearching: isFetching || !isAnswer };
}

export function useEntries(context: CommandContext): Entry[] {
  const self = useSelf().member;
  const { data: roster } = useRoster();
  const { data: channels } = useChannels();
  const { objectives } = useObjectiveList({ status: 'open' });
  return useMemo(
    () => [
      ...offered(context).map(({ id, title, group, keys, run }) => ({
        id,
        title,
        group,
        keys,
        run: () => run(context),
      })),
      ...(roster?.teammates ?? [])
        .filter(({ name }) => name !== self)
        .map(({ name }) => ({
          id: `dm-${name}`,
          title: `Message ${name}`,
          group: 'Members',
          run: () => context.go(`/app/conversations/${formatScope({ kind: 'direct', member: name })}`),
        })),
      ...(channels?.channels ?? []).map(({ id, slug }) => ({
        id: `channel-${id}`,
        title: `#${slug}`,
        group: 'Channels',
        run: () => context.go(`/app/conversations/${formatScope(channelScope(id))}`),
      })),
      ...(objectives ?? []).map((objective) => objectiveEntry(objective, context)),
    ],
    [context, roster, channels, objectives, self],
  );
}
