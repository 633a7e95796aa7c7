/** The focus after a question about a row, which the answer may take away. */
import { type RefObject, useRef } from 'react';
import { neighborOf } from '../../ui/neighbor.rules.ts';

/** `region`: contains the rows, which have `data-focus-row`; it gets the focus if no row has a button. */
export function useFocusAfterRow(region: RefObject<HTMLElement | null>) {
  const leaving = useRef<string | null>(null);
  return {
    /** The row with this id is about to leave the list. */
    leaves(id: string): void {
      leaving.current = id;
    },
    /** Returns null if no row left. */
    focusAfter(otherwise?: HTMLElement | null): HTMLElement | null {
      const id = leaving.current;
      leaving.current = null;
      if (id === null) return null;
      const buttons = [...(region.current?.querySelectorAll<HTMLElement>('[data-focus-row] button') ?? [])];
      const isOf = (one: HTMLElement) =>
        one.closest<HTMLElement>('[data-focus-row]')?.dataset.focusRow === id;
      return neighborOf(buttons, isOf) ?? otherwise ?? region.current;
    },
  };
}
