/** Maps keys to commands. Single keys do nothing while a person types or a layer is open. */
import type { Command } from './registry.ts';

const sequenceMs = 1200;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input, textarea, [role="combobox"]'));

/** A short notice has the role of a dialog too, but it takes no keys. */
export const isLayerOpen = (): boolean =>
  document.querySelector(
    ':is([role="dialog"], [role="alertdialog"], [role="menu"], [role="combobox"][aria-expanded="true"]):not([data-notice])',
  ) !== null;

/** Returns a function that stops listening. */
export function listenForShortcuts(
  commandsNow: () => readonly Command[],
  run: (command: Command) => void,
): () => void {
  let prefix = '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  function onKeyDown(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.isComposing || event.altKey) return;
    const key = event.key.toLowerCase();
    if (event.metaKey || event.ctrlKey) {
      const command = commandsNow().find(({ keys }) => keys === `mod+${key}`);
      if (command === undefined) return;
      event.preventDefault();
      run(command);
      return;
    }
    if (isTyping(event.target) || isLayerOpen() || key.length !== 1) return;
    clearTimeout(timer);
    const pressed = prefix === '' ? key : `${prefix} ${key}`;
    const command = commandsNow().find(({ keys }) => keys === pressed);
    prefix = '';
    if (command !== undefined) {
      event.preventDefault();
      // A key that is held down moves, but acts once.
      if (!event.repeat || command.isRepeated === true) run(command);
    } else if (key === '/') {
      const filter = document.querySelector<HTMLInputElement>('main input[type="search"]');
      if (filter === null) return;
      event.preventDefault();
      filter.focus();
    } else if (commandsNow().some(({ keys }) => keys?.startsWith(`${key} `))) {
      prefix = key;
      timer = setTimeout(() => {
        prefix = '';
      }, sequenceMs);
    }
  }
  document.addEventListener('keydown', onKeyDown);
  return () => document.removeEventListener('keydown', onKeyDown);
}
