/** The keyboard in a table whose rows are links with `data-row`. */
import type { KeyboardEvent } from 'react';

/** Moves the focus to the row above or below. */
export function onArrow(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-row]')];
  const at = rows.findIndex((row) => row.matches(':focus'));
  event.preventDefault();
  rows[at + step]?.focus();
}
