/** Keeps the focus in a list when the entry that has it goes away, also if somebody else has removed it. */
import { type RefObject, useLayoutEffect } from 'react';

const control = 'a[href], button:not(:disabled), input:not(:disabled), select, textarea, [tabindex]';

/** Returns the element, or else the first control in it, because a row often cannot have the focus itself. */
const focusable = (element: Element): HTMLElement | null =>
  element.matches(control) && element instanceof HTMLElement
    ? element
    : element.querySelector<HTMLElement>(control);

/** `otherwise` returns what gets the focus after the only entry; it is called while the entry is still in the page. */
export function useFocusBeside(
  entry: RefObject<HTMLElement | null>,
  otherwise: (entry: HTMLElement) => HTMLElement | null | undefined,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the entry goes
  useLayoutEffect(() => {
    const leaving = entry.current;
    return () => {
      if (leaving?.contains(document.activeElement) !== true) return;
      const { nextElementSibling: next, previousElementSibling: previous } = leaving;
      const beside = (next && focusable(next)) ?? (previous && focusable(previous)) ?? otherwise(leaving);
      beside?.focus();
    };
  }, []);
}
