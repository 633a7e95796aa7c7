/** Go anywhere, do anything: commands, members, channels and objectives by a few letters. */
import { Dialog } from '@base-ui/react/dialog';
import { type RefObject, useId, useMemo, useRef, useState } from 'react';
import { useChannels, useObjectives, useRoster, useSelf } from '../data/queries.ts';
import { cx } from '../ui/class-names.ts';
import { Keys } from '../ui/keys.tsx';
import { type CommandContext, offered } from './registry.ts';

interface Entry {
  id: string;
  title: string;
  group: string;
  keys?: string | undefined;
  run(): void;
}

const shown = 40;

/** Every letter of the query in order; what begins a word, or follows the one before, counts more. */
export function scoreOf(query: string, title: string): number | null {
  const [wanted, text] = [query.toLowerCase(), title.toLowerCase()];
  let at = -1;
  let score = 0;
  for (const letter of wanted.replaceAll(' ', '')) {
    const next = text.indexOf(letter, at + 1);
    if (next < 0) return null;
    score += next === at + 1 ? 3 : /[\s\-_/.]/.test(text[next - 1] ?? ' ') ? 2 : 0;
    at = next;
  }
  return score - text.length / 100;
}

function useEntries(context: CommandContext): Entry[] {
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
          run: () => context.go(`/app/conversations/dm:${name}`),
        })),
      ...(channels?.channels ?? []).map(({ id, slug }) => ({
        id: `channel-${id}`,
        title: `#${slug}`,
        group: 'Channels',
        run: () => context.go(`/app/conversations/${id === 'general' ? 'general' : `chan:${id}`}`),
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

function Results({
  context,
  onClose,
  input,
}: {
  context: CommandContext;
  onClose: () => void;
  input: RefObject<HTMLInputElement | null>;
}) {
  const entries = useEntries(context);
  const [query, setQuery] = useState('');
  const [active, setActive] = useState(0);
  const listId = useId();
  const found = useMemo(() => {
    const scored = entries.flatMap((entry) => {
      const score = scoreOf(query, entry.title);
      return score === null ? [] : [{ entry, score }];
    });
    if (query !== '') scored.sort((a, b) => b.score - a.score);
    return scored.slice(0, shown).map(({ entry }) => entry);
  }, [entries, query]);
  const choose = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    onClose();
    entry.run();
  };
  const optionId = (index: number) => `${listId}-${index}`;
  return (
    <>
      <input
        ref={input}
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={found.length > 0 ? optionId(active) : undefined}
        aria-label="Go anywhere, do anything"
        placeholder="Go anywhere, do anything"
        value={query}
        onChange={(event) => {
          setQuery(event.target.value);
          setActive(0);
        }}
        onKeyDown={(event) => {
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (step !== undefined) {
            event.preventDefault();
            setActive((at) => (at + step + found.length) % Math.max(found.length, 1));
          } else if (event.key === 'Enter') {
            event.preventDefault();
            choose(found[active]);
          }
        }}
        className="h-12 w-full border-b border-line bg-transparent px-4 text-lg outline-none"
      />
      <div
        id={listId}
        role="listbox"
        aria-label="Results"
        tabIndex={-1}
        className="max-h-80 overflow-y-auto p-1"
      >
        {found.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: keys go through the combobox
          <div
            key={entry.id}
            id={optionId(index)}
            role="option"
            aria-selected={index === active}
            tabIndex={-1}
            ref={(element) => {
              if (index === active) element?.scrollIntoView({ block: 'nearest' });
            }}
            onClick={() => choose(entry)}
            onPointerMove={() => setActive(index)}
            className={cx(
              'flex h-9 items-center justify-between gap-3 rounded-md px-3',
              index === active && 'bg-selected',
            )}
          >
            <span className="truncate">{entry.title}</span>
            <span className="flex items-center gap-2 text-xs text-soft">
              {entry.group}
              {entry.keys === undefined ? null : <Keys keys={entry.keys} />}
            </span>
          </div>
        ))}
        {found.length === 0 ? <p className="px-3 py-6 text-center text-soft">Nothing by that name.</p> : null}
      </div>
    </>
  );
}

export function Palette({
  isOpen,
  onClose,
  context,
}: {
  isOpen: boolean;
  onClose: () => void;
  context: CommandContext;
}) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-(--overlay)" />
        <Dialog.Popup
          initialFocus={input}
          className="fixed top-[12vh] left-1/2 z-40 w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 overflow-hidden rounded-lg border border-line bg-raised shadow-(--shadow) outline-none"
        >
          <Dialog.Title className="sr-only">Command palette</Dialog.Title>
          <Results context={context} onClose={onClose} input={input} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
