/** Maps keys to commands. Single keys do nothing while a person types or a layer is open. */
import { isComposing } from '../ui/composing.ts';
import type { Command } from './registry.ts';

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input, textarea, [role="combobox"]'));

/** A short notice has the role of a dialog too, but it takes no keys. */
export const isLayerOpen = (): boolean =>
  document.querySelector(
    ':is([role="dialog"], [role="alertdialog"], [role="menu"], [role="combobox"][aria-expanded="true"]):not([data-notice])',
  ) !== null;

/**
 * The first key of two. It waits for the second one however long that takes, also while the commands change, so that a slow second
 * key never acts by itself. Anything else that the person does in between ends it.
 */
let prefix = '';
const forget = (): void => {
  prefix = '';
};

/** Returns a function that stops listening. */
export function listenForShortcuts(
  commandsNow: () => readonly Command[],
  run: (command: Command) => void,
): () => void {
  function onKeyDown(event: KeyboardEvent): void {
    const key = event.key.toLowerCase();
    if (['shift', 'capslock'].includes(key)) return;
    const pressed = prefix === '' ? key : `${prefix} ${key}`;
    forget();
    if (event.defaultPrevented || isComposing(event) || event.altKey) return;
    if (event.metaKey || event.ctrlKey) {
      const command = commandsNow().find(({ keys }) => keys === `mod+${key}`);
      if (command === undefined) return;
      event.preventDefault();
      run(command);
      return;
    }
    if (isTyping(event.target) || isLayerOpen() || key.length !== 1) return;
    const command = commandsNow().find(({ keys }) => keys === pressed);
    if (command !== undefined) {
      event.preventDefault();
      // A key that is held down moves, but acts once.
      if (!event.repeat || command.isRepeated === true) run(command);
    } else if (pressed === '/') {
      const filter = document.querySelector<HTMLInputElement>('main input[type="search"]');
      if (filter === null) return;
      event.preventDefault();
      filter.focus();
    } else if (commandsNow().some(({ keys }) => keys?.startsWith(`${key} `))) {
      prefix = key;
    }
  }
  const ends = new AbortController();
  const { signal } = ends;
  document.addEventListener('keydown', onKeyDown, { signal });
  // While it is captured, because a control may keep the event for itself.
  document.addEventListener('pointerdown', forget, { signal, capture: true });
  window.addEventListener('blur', forget, { signal });
  return () => ends.abort();
}
