/** Keeps the focus near when what has it leaves the page, also if somebody else has removed it (specification/console.md#habits). */
import { content } from './final-focus.ts';
import { focusable, giveFocus } from './focus-beside.ts';

/** Returns what gets the focus after an element that these records removed: what is beside it in its list, or else what contains it. */
export function besideRemoved(element: Element, records: readonly MutationRecord[]): HTMLElement | null {
  const removalOf = (node: Node) =>
    records.findLast(({ removedNodes }) => [...removedNodes].some((one) => one.contains(node)));
  const removal = removalOf(element);
  // Each removal that it follows is later than the one before, so it ends.
  for (const side of ['nextSibling', 'previousSibling'] as const)
    for (let at = removal?.[side]; at != null; at = (at.isConnected ? at : removalOf(at))?.[side])
      if (at instanceof Element && at.isConnected && at.nodeName === removal?.removedNodes[0]?.nodeName) {
        const found = focusable(at);
        if (found !== null) return found;
      }
  return removal?.target.isConnected === true && removal.target instanceof Element
    ? (removal.target.closest<HTMLElement>('[tabindex]') ?? content())
    : content();
}

/** A layer gives the focus back itself when it closes, but what opened it may have left the page as well. */
function afterLayer(): void {
  if (document.activeElement !== document.body) return;
  const dialogs = [...document.querySelectorAll<HTMLElement>('[role$="dialog"][data-open]')];
  giveFocus(dialogs.at(-1) ?? content(), { preventScroll: true });
}

/** Returns a function that ends it. */
export function keepFocus(): () => void {
  let last = document.activeElement;
  const onFocus = ({ target }: Event) => {
    last = target as Element;
  };
  // A browser may also tell this of what is being removed.
  const onBlur = ({ target }: Event) =>
    queueMicrotask(() => {
      if (last === target && last?.isConnected && document.activeElement === document.body) last = null;
    });
  const observer = new MutationObserver((records) => {
    if (last === null || last.isConnected || document.activeElement !== document.body) return;
    if (last.closest('[role$="dialog"], [role="menu"], [role="listbox"]') !== null) setTimeout(afterLayer);
    else giveFocus(besideRemoved(last, records), { preventScroll: true });
  });
  document.addEventListener('focusin', onFocus);
  document.addEventListener('focusout', onBlur);
  observer.observe(document.body, { childList: true, subtree: true });
  return () => {
    document.removeEventListener('focusin', onFocus);
    document.removeEventListener('focusout', onBlur);
    observer.disconnect();
  };
}
