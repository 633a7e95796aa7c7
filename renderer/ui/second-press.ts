/** Keeps a press that was meant for one control from acting on another one that has come into its place (specification/console.md#habits). */

import { hasGivenFocus } from './focus-beside.ts';

const control = 'a, button, input, label, summary, [role="menuitem"], [role="option"]';
/** Two presses of a key within so long are one habit, as a double click is. */
const doubleMs = 500;

interface Press {
  on: Element | null;
  /** The words of the control when it was pressed. */
  words: string | undefined;
  isByKey: boolean;
  at: number;
}

function pressOf({ target, detail }: MouseEvent): Press {
  const on = target instanceof Element ? target.closest(control) : null;
  return {
    on,
    words: on?.getAttribute('aria-label') ?? on?.textContent,
    isByKey: detail === 0,
    at: Date.now(),
  };
}

function refuse(event: Event): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}

let last: Press = { on: null, words: undefined, isByKey: false, at: 0 };

function onClick(event: MouseEvent): void {
  // A script of the page presses on purpose.
  if (!event.isTrusted) return;
  const press = pressOf(event);
  const isAnother = press.on !== last.on || press.words !== last.words;
  // By keys, two controls are pressed on purpose one after the other, unless the second one got the focus of the first.
  const isReplaced = press.on === last.on || hasGivenFocus(press.on);
  const isSecond = press.isByKey
    ? last.isByKey && isReplaced && press.at - last.at < doubleMs
    : event.detail > 1;
  if (isSecond && isAnother && press.on?.matches('button') === true) refuse(event);
  else last = press;
}

/** A held key makes new lines, and nothing else. */
function onKeyDown(event: KeyboardEvent): void {
  const isNewLine = event.target instanceof HTMLTextAreaElement && !event.ctrlKey && !event.metaKey;
  if (event.repeat && event.key === 'Enter' && !isNewLine) refuse(event);
}

/** Begins before everything else on the page, once, and lasts as long as the page: the first screen can come into the place of the login. */
export function ignoreSecondPresses(): void {
  addEventListener('click', onClick, true);
  addEventListener('keydown', onKeyDown, true);
}
