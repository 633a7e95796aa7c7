/** Everything that the command palette can open or do. */
import { useMemo } from 'react';
import { channelScope, formatScope } from '#protocol/scope.ts';
import { useChannels, useObjectives, useRoster } from '../data/queries.ts';
import { useSelf } from '../data/self.tsx';
import { type CommandContext, offered } from './registry.ts';

export interface Entry {
  id: string;
  title: string;
  group: string;
  keys?: string | undefined;
  run(): void;
}

export function useEntries(context: CommandContext): Entry[] {
  const self = useSelf().member;
  const { data: roster } = useRoster();
  const { data: channels } = useChannels();
  const { data: objectives } = useObjectives();
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
      ...(objectives?.objectives ?? []).map(({ id, title }) => ({
        id,
        title: `${title} (${id})`,
        group: 'Objectives',
        run: () => context.go(`/app/objectives/${id}`),
      })),
    ],
    [context, roster, channels, objectives, self],
  );
}
