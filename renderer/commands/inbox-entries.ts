/** The items of the inbox in the command palette: each can be opened, released, cleared, and put off. */
import { useMemo } from 'react';
import type { InboxItem } from '#protocol/inbox.ts';
import { latersOf } from '#protocol/laters.ts';
import { useChannels } from '../data/queries.ts';
import { nameOfScope } from '../features/conversations/scope-name.ts';
import { useReleasePost } from '../features/holds/use-release-post.ts';
import { useInbox, useInboxActions } from '../features/inbox/use-inbox.ts';
import { toastError } from '../ui/toast.ts';
import type { Entry } from './palette-entry.ts';
import type { CommandContext } from './registry.ts';

export function useInboxEntries({ go }: CommandContext): Entry[] {
  const { data: items } = useInbox();
  const { data: channels } = useChannels();
  const { mutate: release } = useReleasePost();
  const { mark } = useInboxActions();
  return useMemo(() => {
    const known = { channels: channels?.channels ?? [], objectiveTitle: 'an objective' };
    const entriesOf = (item: InboxItem): Entry[] => {
      const { key, title, scope, detail, place } = item;
      const heading = scope === null ? title : `${title} ${nameOfScope(scope, known)}`;
      // Two posts of one writer differ in their texts alone.
      const name = detail === '' ? heading : `${heading}: ${detail}`;
      const entry = (id: string, words: string, run: () => void): Entry => ({
        id: `${id} ${key}`,
        title: words,
        group: 'Inbox',
        isRemembered: false,
        run,
      });
      return [
        entry('inbox-open', name, () => go(`/app?item=${encodeURIComponent(key)}`)),
        ...(place.kind === 'held'
          ? [entry('inbox-release', `Release: ${name}`, () => release(place.id, { onError: toastError }))]
          : []),
        entry('inbox-clear', `Clear: ${name}`, () => mark([item], null)),
        ...latersOf(item, Date.now()).map(({ id, label, at }) =>
          entry(`inbox-${id}`, `Later (${label.charAt(0).toLowerCase()}${label.slice(1)}): ${name}`, () =>
            mark([item], at(Date.now())),
          ),
        ),
      ];
    };
    return (items ?? []).flatMap(entriesOf);
  }, [items, channels, release, mark, go]);
}
