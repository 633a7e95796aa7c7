/** The focus when a layer closes. */
import { useRef } from 'react';
import { giveFocus } from './focus-beside.ts';

/**
 * For `finalFocus` of Base UI, which does not focus an element that Tab does not reach, such as a message, but the first button in it.
 * Such an element gets the focus here. Returns null for the default of Base UI.
 */
function finalFocus(element: Element | null): HTMLElement | null | false {
  if (!(element instanceof HTMLElement) || !element.isConnected || element === document.body) return null;
  // Of an element that cannot have the focus, Base UI takes the first control in it.
  if (element.tabIndex >= 0 || !element.hasAttribute('tabindex')) return element;
  // As Base UI does, when the page is no longer hidden behind the layer.
  queueMicrotask(() => element.focus({ preventScroll: true }));
  return false;
}

/** Returns what scrolls on the screen, for a dialog that led there. */
export const content = (): HTMLElement | null =>
  document.querySelector<HTMLElement>('#content [role="region"][tabindex]');

/** `focusAfter` returns where the focus goes; null, as without it, for where it was before. */
export function useFinalFocus(focusAfter?: () => HTMLElement | null) {
  const before = useRef<Element | null>(null);
  return {
    /** To be called by `initialFocus`. */
    remember(): void {
      before.current = document.activeElement;
    },
    finalFocus: () => {
      // The element may leave the page in the same update as the layer. Base UI focuses in a microtask of its own, which comes first.
      queueMicrotask(() =>
        queueMicrotask(() => {
          if (document.activeElement !== document.body) return;
          const after = focusAfter?.();
          giveFocus(after?.isConnected === true ? after : content(), { preventScroll: true });
        }),
      );
      return finalFocus(focusAfter?.() ?? before.current);
    },
  };
}
