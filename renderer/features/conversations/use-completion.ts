/** Completion of mentions, channels, and levels while a person types: the options, and the keys that choose one. */
import { type KeyboardEvent, useState } from 'react';
import { useChannels, useRoster } from '../../data/queries.ts';
import { usePeopleFirst } from '../../ui/kind.tsx';
import { type Completion, completionAt } from './completion.rules.ts';

export interface CompletionState {
  /** Null if there is nothing to offer. */
  completion: Completion | null;
  /** Index of the option that Enter chooses. */
  active: number;
  /** Computes the options again after the text changed. */
  restart(): void;
  /** Handles a key for the options. Returns false if the key belongs to the text. */
  handleKey(event: KeyboardEvent, complete: (option: string) => void): boolean;
}

export function useCompletion(text: string, caret: number, hasLevels: boolean): CompletionState {
  const { data: roster } = useRoster();
  const { data: channels } = useChannels();
  const known = {
    names: usePeopleFirst((roster?.teammates ?? []).map(({ name }) => name)),
    slugs: (channels?.channels ?? []).flatMap(({ slug, archivedAt }) => (archivedAt === null ? slug : [])),
  };
  const [active, setActive] = useState(0);
  const [isDismissed, setDismissed] = useState(false);
  const found = isDismissed ? null : completionAt(text, caret, known);
  const completion = !hasLevels && found?.options[0]?.startsWith('/') ? null : found;
  return {
    completion,
    active,
    restart() {
      setDismissed(false);
      setActive(0);
    },
    handleKey(event, complete) {
      if (completion === null) return false;
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step !== undefined)
        setActive((at) => (at + step + completion.options.length) % completion.options.length);
      else if (event.key === 'Tab' || event.key === 'Enter')
        complete(completion.options[active] ?? completion.options[0] ?? '');
      else if (event.key === 'Escape') setDismissed(true);
      else return false;
      event.preventDefault();
      return true;
    },
  };
}
