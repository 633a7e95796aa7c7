/** The command palette: finds what can be opened or done by a few letters, the choices made before first. */
import { Dialog } from '@base-ui/react/dialog';
import { type RefObject, useId, useMemo, useRef, useState } from 'react';
import { keepText, keptText } from '../data/kept.ts';
import { cx } from '../ui/class-names.ts';
import { isComposing } from '../ui/composing.ts';
import { useFinalFocus } from '../ui/final-focus.ts';
import { Keys } from '../ui/keys.tsx';
import { useEntries, useFoundEntries } from './palette-entries.ts';
import type { Entry } from './palette-entry.ts';
import { shownEntries } from './palette-score.rules.ts';
import { recentIn, withChoice } from './recent-choices.rules.ts';
import type { CommandContext } from './registry.ts';

const optionId = (listId: string, index: number): string => `${listId}-${index}`;

function EntryList({
  id,
  entries,
  isSearching,
  active,
  onActive,
  onChoose,
}: {
  id: string;
  entries: readonly Entry[];
  /** Whether more may come. */
  isSearching: boolean;
  active: number;
  onActive: (index: number) => void;
  onChoose: (entry: Entry) => void;
}) {
  return (
    <div id={id} role="listbox" aria-label="Results" tabIndex={-1} className="max-h-80 overflow-y-auto p-1">
      {entries.map((entry, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: keys go through the combobox
        <div
          key={entry.id}
          id={optionId(id, index)}
          role="option"
          aria-selected={index === active}
          tabIndex={-1}
          ref={(element) => {
            if (index === active) element?.scrollIntoView({ block: 'nearest' });
          }}
          onClick={() => onChoose(entry)}
          onPointerMove={() => onActive(index)}
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
      {entries.length === 0 ? (
        <p className="px-3 py-6 text-center text-soft">{isSearching ? 'Searching…' : 'No results.'}</p>
      ) : null}
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
  onClose,
  onAfter,
  input,
}: {
  context: CommandContext;
  onClose: () => void;
  /** Runs a command of the screen when the palette is closed. */
  onAfter: (entry: Entry) => void;
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
  /**
   * The first entry for a query keeps the highlight when another one comes before it, so that Enter runs the entry that was seen. An
   * entry that is there only because the broker has not answered does not keep it.
   */
  const [first, setFirst] = useState<{ query: string; id: string | undefined }>();
  if (first?.query !== query || !found.some(({ id }) => id === first.id)) {
    const next = { query, id: isSearching && found[0]?.isFallback === true ? undefined : found[0]?.id };
    if (first?.query !== next.query || first.id !== next.id) setFirst(next);
  }
  const place = found.findIndex(({ id }) => id === (activeId ?? first?.id));
  const active = Math.max(place, 0);
  const choose = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    if (entry.isRemembered !== false) remember(storageKey, entry.id);
    onClose();
    if (entry.isOfScreen === true) onAfter(entry);
    else entry.run();
  };
  return (
    <>
      <input
        ref={input}
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={found.length > 0 ? optionId(listId, active) : undefined}
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
            setActiveId(found.at((active + step) % Math.max(found.length, 1))?.id ?? null);
          } else if (event.key === 'Enter') {
            event.preventDefault();
            choose(found[active]);
          }
        }}
        className="h-12 w-full border-b border-line bg-transparent px-4 text-lg outline-none"
      />
      <EntryList
        id={listId}
        entries={found}
        isSearching={isSearching}
        active={active}
        onActive={(at) => setActiveId(found[at]?.id ?? null)}
        onChoose={choose}
      />
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
  const waiting = useRef<Entry | null>(null);
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
            before.current = activeElement instanceof HTMLElement ? activeElement : null;
            return input.current;
          }}
          finalFocus={finalFocus}
          className="fixed top-[12vh] left-1/2 z-40 w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 overflow-hidden rounded-lg border border-line bg-raised shadow-(--shadow) outline-none"
        >
          <Dialog.Title className="sr-only">Command palette</Dialog.Title>
          <Results
            context={context}
            onClose={onClose}
            onAfter={(entry) => {
              waiting.current = entry;
            }}
            input={input}
          />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
