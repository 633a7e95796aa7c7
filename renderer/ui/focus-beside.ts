/** Keeps the focus in a list when the entry that has it goes away, also if somebody else has removed it. */
import { type RefObject, useLayoutEffect } from 'react';

const control = 'a[href], button:not(:disabled), input:not(:disabled), select, textarea, [tabindex]';

/** Returns the element, or else the first control in it, because a row often cannot have the focus itself. */
export const focusable = (element: Element): HTMLElement | null =>
  element.matches(control) && element instanceof HTMLElement
    ? element
    : element.querySelector<HTMLElement>(control);

let given: HTMLElement | null | undefined;

/** Focuses the element because the one that has the focus leaves the page. */
export function giveFocus(element: HTMLElement | null | undefined, options?: FocusOptions): void {
  given = element;
  // Nobody went there, so what scrolls has no frame until somebody does (app.css).
  element?.setAttribute('data-given', '');
  element?.addEventListener('blur', () => element.removeAttribute('data-given'), { once: true });
  element?.focus(options);
}

/** Whether the element got its focus in that way. */
export const hasGivenFocus = (element: Element | null): boolean => element !== null && element === given;

/** Returns what gets the focus after the only entry of a list, which is still in the page. */
type Otherwise = (entry: HTMLElement) => HTMLElement | null | undefined;

/** Returns what gets the focus when the entry goes away; undefined if nothing does. */
export function besideOf(entry: HTMLElement, otherwise: Otherwise): HTMLElement | undefined {
  const { nextElementSibling: next, previousElementSibling: previous } = entry;
  return (next && focusable(next)) ?? (previous && focusable(previous)) ?? otherwise(entry) ?? undefined;
}

export function useFocusBeside(entry: RefObject<HTMLElement | null>, otherwise: Otherwise): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the entry goes
  useLayoutEffect(() => {
    const leaving = entry.current;
    return () => {
      if (leaving?.contains(document.activeElement)) giveFocus(besideOf(leaving, otherwise));
    };
  }, []);
}
