/** Completion of mentions and levels while somebody writes: what is offered, and the keys that choose from it. */
import { type KeyboardEvent, useMemo, useState } from 'react';
import { useRoster } from '../../data/queries.ts';
import { type Completion, completionAt } from './completion.rules.ts';

export interface CompletionState {
  /** Null: nothing is offered. */
  completion: Completion | null;
  /** Index of the option that Enter takes. */
  active: number;
  /** The text changed: the offer starts anew. */
  restart(): void;
  /** Handles a key that is meant for the offer. False: the key is for the text. */
  handleKey(event: KeyboardEvent, complete: (option: string) => void): boolean;
}

export function useCompletion(text: string, caret: number, hasLevels: boolean): CompletionState {
  const { data: roster } = useRoster();
  const names = useMemo(() => (roster?.teammates ?? []).map(({ name }) => name as string), [roster]);
  const [active, setActive] = useState(0);
  const [isDismissed, setDismissed] = useState(false);
  const found = isDismissed ? null : completionAt(text, caret, names);
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
