/** The focus when an item that was open beside a list closes. */
import { type RefObject, useLayoutEffect, useRef } from 'react';

/** Its row (`data-row`) gets the focus if nothing else has it, or the first row if its own is gone, or the list if it is empty. */
export function useFocusBack(list: RefObject<HTMLElement | null>, open: string | undefined): void {
  const last = useRef(open);
  useLayoutEffect(() => {
    const closed = open === undefined ? last.current : undefined;
    last.current = open;
    if (closed === undefined || document.activeElement !== document.body) return;
    const rows = [...(list.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];
    (rows.find(({ dataset }) => dataset.row === closed) ?? rows[0] ?? list.current)?.focus();
  }, [list, open]);
}
