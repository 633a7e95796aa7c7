/**
 * A long press with a finger on a row (`data-press`) opens a menu with what the row offers: its link, its check box, and the buttons and
 * links among its actions (`data-actions`). One listener serves all rows, so that a row needs no code of its own.
 */
import { useEffect, useRef, useState } from 'react';
import { besideRemoved } from './keep-focus.ts';
import type { MenuItem } from './menu.tsx';
import { MenuPopup } from './menu-popup.tsx';

const pressMs = 500;
/** A finger that moves farther scrolls. */
const slackPx = 10;

/** A menu of the row is left out (`data-all-actions`), because its items are the actions, and so is a button that opens the row, as its link does (`data-opens`). */
const actions = '[data-actions] :is(button, a[href]):not(:disabled, [data-all-actions], [data-opens])';

const nameOf = (control: Element): string =>
  (control.getAttribute('aria-label') ?? control.textContent ?? '').trim();

const itemOf = (label: string, control: HTMLElement): MenuItem => ({
  label,
  // After the menu has given the focus back, because the action may move it.
  onSelect: () => setTimeout(() => control.click()),
});

function itemsOf(row: HTMLElement): MenuItem[] {
  const link = row.querySelector<HTMLElement>('a:is([data-row], [data-entry])');
  const box = row.querySelector<HTMLElement>('input[type="checkbox"]');
  return [
    ...(link === null ? [] : [itemOf('Open', link)]),
    ...(box === null ? [] : [itemOf(nameOf(box), box)]),
    ...[...row.querySelectorAll<HTMLElement>(actions)].map((one) => itemOf(nameOf(one), one)),
  ];
}

/** Calls `open` with the row that was pressed. Returns a function that stops listening. */
function listenForPresses(open: (row: HTMLElement) => void): () => void {
  let pressed: { row: HTMLElement; x: number; y: number; timer: ReturnType<typeof setTimeout> } | null = null;
  /** The finger that opened the menu is still down. */
  let isHeld = false;
  const ends = new AbortController();
  const during = { signal: ends.signal, capture: true };
  function end(): void {
    clearTimeout(pressed?.timer);
    pressed = null;
  }
  function fire(): void {
    const row = pressed?.row;
    end();
    if (row?.isConnected !== true || itemsOf(row).length === 0) return;
    isHeld = true;
    getSelection()?.removeAllRanges();
    open(row);
  }
  document.addEventListener(
    'pointerdown',
    ({ pointerType, isPrimary, target, clientX: x, clientY: y }) => {
      end();
      isHeld = false;
      const row = target instanceof Element ? target.closest<HTMLElement>('[data-press]') : null;
      if (pointerType !== 'touch' || !isPrimary || row === null) return;
      pressed = { row, x, y, timer: setTimeout(fire, pressMs) };
    },
    during,
  );
  document.addEventListener(
    'pointermove',
    ({ clientX, clientY }) => {
      if (pressed !== null && Math.hypot(clientX - pressed.x, clientY - pressed.y) > slackPx) end();
    },
    during,
  );
  for (const kind of ['pointerup', 'pointercancel'] as const) document.addEventListener(kind, end, during);
  // The browser's own menu of a link would come over this one.
  document.addEventListener(
    'contextmenu',
    (event) => {
      if (pressed === null && !isHeld) return;
      event.preventDefault();
      if (pressed !== null) fire();
    },
    during,
  );
  // When it is lifted, it clicks nothing.
  for (const kind of ['touchend', 'touchcancel'] as const)
    document.addEventListener(
      kind,
      (event) => {
        if (isHeld && event.cancelable) event.preventDefault();
        isHeld = false;
      },
      { ...during, passive: false },
    );
  return () => {
    end();
    ends.abort();
  };
}

export function LongPress() {
  const [row, setRow] = useState<HTMLElement | null>(null);
  const anchor = useRef<HTMLElement | null>(null);
  /** The element that has the focus when the row is gone. */
  const beside = useRef<HTMLElement | null>(null);
  useEffect(
    () =>
      listenForPresses((pressed) => {
        anchor.current = pressed;
        setRow(pressed);
      }),
    [],
  );
  useEffect(() => {
    if (row === null) return;
    const observer = new MutationObserver((records) => {
      if (row.isConnected) return;
      beside.current = besideRemoved(row, records);
      setRow(null);
    });
    observer.observe(document.body, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [row]);
  if (row === null) return null;
  return (
    <MenuPopup
      anchor={anchor}
      items={itemsOf(row)}
      onClose={() => setRow(null)}
      focusAfter={() =>
        row.isConnected
          ? (row.querySelector<HTMLElement>('a[data-row], a[data-entry]') ?? row)
          : beside.current
      }
    />
  );
}
