/** The commands and the keys of the inbox: they move between the rows, and take items out of the list and back. */
import { type KeyboardEvent, type RefObject, useMemo } from 'react';
import { type ScreenCommand, useScreenCommands } from '../../commands/screen-commands.ts';
import { neighborOf } from '../../ui/neighbor.rules.ts';
import { useInboxActions } from './use-inbox.ts';

/** The commands of the list, which the line below it and the palette call the same. */
export const named = {
  next: { keys: 'j', title: 'Next item' },
  previous: { keys: 'k', title: 'Previous item' },
  primary: { keys: 'a', title: 'Main action' },
  clear: { keys: 'e', title: 'Clear' },
  later: { keys: 's', title: 'Later' },
  undo: { keys: 'z', title: 'Undo' },
};

export const rowsIn = (list: HTMLElement | null): HTMLElement[] => [
  ...(list?.querySelectorAll<HTMLElement>('[data-row]') ?? []),
];

/** Moves between the rows of the list, and takes items out of it and back. */
export function useListKeys(list: RefObject<HTMLElement | null>) {
  const { mark, undo } = useInboxActions();
  const keysOfList = useMemo(() => {
    const focused = () =>
      rowsIn(list.current).find((row) => row.closest('li')?.contains(document.activeElement));
    /** The row that has the focus, or whose item is open. */
    const current = () => focused() ?? rowsIn(list.current).find((row) => row.hasAttribute('aria-current'));
    const move = (step: 1 | -1) => () => {
      const all = rowsIn(list.current);
      const from = current();
      const to = from === undefined ? all[0] : all[all.indexOf(from) + step];
      if (to !== undefined) to.focus();
      else if (step === 1) list.current?.querySelector<HTMLElement>('[data-more] button')?.click();
    };
    const press = (button: string, of: () => HTMLElement | undefined) => () =>
      of()?.closest('li')?.querySelector<HTMLElement>(`button${button}`)?.click();
    /** The row goes away, so the focus goes to its neighbor, or to the list. */
    function leave(key: string): HTMLElement | null {
      const rows = rowsIn(list.current);
      const neighbor = neighborOf(rows, (row) => row.dataset.row === key) ?? list.current;
      neighbor?.focus();
      return neighbor;
    }
    const commands: readonly ScreenCommand[] = [
      { id: 'inbox-next', ...named.next, isRepeated: true, run: move(1) },
      { id: 'inbox-previous', ...named.previous, isRepeated: true, run: move(-1) },
      { id: 'inbox-primary', ...named.primary, run: press('[data-primary]', focused) },
      { id: 'inbox-clear', ...named.clear, run: press('[data-clear]', current) },
      { id: 'inbox-later', ...named.later, run: press('[aria-label="Later"]', current) },
      { id: 'inbox-undo', ...named.undo, run: undo },
    ];
    function onKeyDown(event: KeyboardEvent): void {
      const step = ({ ArrowDown: 1, ArrowUp: -1 } as const)[event.key];
      if (step === undefined || event.target instanceof HTMLButtonElement) return;
      event.preventDefault();
      move(step)();
    }
    return { leave, mark, commands, onKeyDown };
  }, [mark, undo, list]);
  useScreenCommands(keysOfList.commands);
  return keysOfList;
}
