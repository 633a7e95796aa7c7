/** The command palette: finds what can be opened or done by a few letters, the choices made before first. */
import { Dialog } from '@base-ui/react/dialog';
import { type RefObject, useId, useMemo, useRef, useState } from 'react';
import { keepText, keptText } from '../data/kept.ts';
import { cx } from '../ui/class-names.ts';
import { isComposing } from '../ui/composing.ts';
import { useFinalFocus } from '../ui/final-focus.ts';
import { Keys } from '../ui/keys.tsx';
import { searchEntry, useEntries, useFoundEntries } from './palette-entries.ts';
import type { Entry } from './palette-entry.ts';
import { shownEntries } from './palette-score.rules.ts';
import { recentIn, withChoice } from './recent-choices.rules.ts';
import type { CommandContext } from './registry.ts';

const optionId = (listId: string, index: number): string => `${listId}-${index}`;

interface OptionProps {
  id: string;
  entry: Entry;
  isActive: boolean;
  onActive: () => void;
  onChoose: () => void;
}

function Option({ id, entry, isActive, onActive, onChoose }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys go through the combobox
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      tabIndex={-1}
      ref={(element) => {
        if (isActive) element?.scrollIntoView({ block: 'nearest' });
      }}
      onClick={onChoose}
      onPointerMove={onActive}
      className={cx('flex h-9 items-center justify-between gap-3 rounded-md px-3', isActive && 'bg-selected')}
    >
      <span className="truncate">{entry.title}</span>
      <span className="flex items-center gap-2 text-xs text-soft">
        {entry.group}
        {entry.keys === undefined ? null : <Keys keys={entry.keys} />}
      </span>
    </div>
  );
}

function remember(storageKey: string, id: string): void {
  try {
    keepText(storageKey, JSON.stringify(withChoice(recentIn(keptText(storageKey)), id)));
  } catch {
    // The order of the entries is only a help.
  }
}

function Results({
  context,
  onChoose,
  input,
}: {
  context: CommandContext;
  onChoose: (entry: Entry) => void;
  input: RefObject<HTMLInputElement | null>;
}) {
  const entries = useEntries(context);
  const storageKey = `muster.recent-choices.${context.self}`;
  const [recent] = useState(() => recentIn(keptText(storageKey)));
  const [query, setQuery] = useState('');
  /** The highlighted entry keeps its highlight when others come or go. */
  const [activeId, setActiveId] = useState<string | null>(null);
  const listId = useId();
  const { entries: ofBroker, isSearching } = useFoundEntries(query, context);
  const found = useMemo(
    () => shownEntries(entries, ofBroker, query, recent),
    [entries, ofBroker, query, recent],
  );
  /** The first entry for a query keeps the highlight when another one comes before it, so that Enter runs the entry that was seen. */
  const [first, setFirst] = useState<{ query: string; id: string | undefined }>();
  if (first?.query !== query || !found.some(({ id }) => id === first.id)) {
    const next = { query, id: found[0]?.id };
    if (first?.query !== next.query || first.id !== next.id) setFirst(next);
  }
  // Always in the same place, so that no result that arrives takes its place while it is clicked.
  const search = query.trim() === '' ? undefined : searchEntry(query.trim(), context);
  const all = search === undefined ? found : [...found, search];
  const place = all.findIndex(({ id }) => id === (activeId ?? first?.id));
  const active = Math.max(place, 0);
  const choose = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    if (entry.isRemembered !== false) remember(storageKey, entry.id);
    onChoose(entry);
  };
  const option = (entry: Entry, index: number) => (
    <Option
      key={entry.id}
      id={optionId(listId, index)}
      entry={entry}
      isActive={index === active}
      onActive={() => setActiveId(entry.id)}
      onChoose={() => choose(entry)}
    />
  );
  return (
    <>
      <input
        ref={input}
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={all.length > 0 ? optionId(listId, active) : undefined}
        aria-label="Search screens, members, and commands"
        placeholder="Search screens, members, and commands"
        value={query}
        onChange={(event) => {
          setQuery(event.target.value);
          setActiveId(null);
        }}
        onKeyDown={(event) => {
          if (isComposing(event.nativeEvent)) return;
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (step !== undefined) {
            event.preventDefault();
            setActiveId(all.at((active + step) % Math.max(all.length, 1))?.id ?? null);
          } else if (event.key === 'Enter') {
            event.preventDefault();
            choose(all[active]);
          }
        }}
        className="h-12 w-full border-b border-line bg-transparent px-4 text-lg outline-none"
      />
      <div id={listId} role="listbox" aria-label="Results" tabIndex={-1}>
        <div role="presentation" className="h-[min(20rem,50dvh)] overflow-y-auto p-1">
          {found.map((entry, index) => option(entry, index))}
          {found.length === 0 ? (
            <p className="px-3 py-6 text-center text-soft">{isSearching ? 'Searching…' : 'No results.'}</p>
          ) : null}
        </div>
        {search === undefined ? null : (
          <div role="presentation" className="border-t border-line p-1">
            {option(search, found.length)}
          </div>
        )}
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
  /** The element that had the focus before. */
  const before = useRef<HTMLElement | null>(null);
  const { finalFocus } = useFinalFocus(() => before.current);
  /** Runs when the palette is closed, so that it acts on what has the focus there, and can give the focus away. */
  const waiting = useRef<Entry | null>(null);
  const isChosen = useRef(false);
  function runWaiting(): void {
    const entry = waiting.current;
    waiting.current = null;
    if (entry === null) return;
    before.current?.focus();
    entry.run();
  }
  return (
    <Dialog.Root
      open={isOpen}
      onOpenChange={(open) => !open && onClose()}
      onOpenChangeComplete={(open) => !open && runWaiting()}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-(--overlay)" />
        <Dialog.Popup
          initialFocus={() => {
            const { activeElement } = document;
            isChosen.current = false;
            // A choice that did not run before the palette was open again must not run later.
            waiting.current = null;
            before.current = activeElement instanceof HTMLElement ? activeElement : null;
            return input.current;
          }}
          // An entry that was chosen decides about the focus.
          finalFocus={() => (isChosen.current ? false : finalFocus())}
          className="fixed top-[12vh] left-1/2 z-40 w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 overflow-hidden rounded-lg border border-line bg-raised shadow-(--shadow) outline-none"
        >
          <Dialog.Title className="sr-only">Command palette</Dialog.Title>
          <Results
            context={context}
            onChoose={(entry) => {
              waiting.current = entry;
              isChosen.current = true;
              onClose();
            }}
            input={input}
          />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
