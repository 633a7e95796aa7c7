/** Shows the tooltip of the element under the pointer, or of the one that the keyboard focuses, and a text under the pointer that is cut. */
import { Tooltip as Base } from '@base-ui/react/tooltip';
import { useEffect, useState } from 'react';
import { Keys } from './keys.tsx';
import { tooltipData } from './tooltip.tsx';

const delayMs = 400;

const ownerOf = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>(`[${tooltipData.text}]`) : null;

/** Returns the text if it is cut at the end of its line, and nothing else shows it wholly. */
function cutText(target: EventTarget | null): HTMLElement | null {
  const text = target instanceof Element ? target.closest<HTMLElement>('.truncate') : null;
  return text !== null && text.scrollWidth > text.clientWidth && text.closest('[title]') === null
    ? text
    : null;
}

/** Returns a function that stops listening. A touch, a click, and a key hide the tooltip. */
function listen(show: (owner: HTMLElement | null) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let under: HTMLElement | null = null;
  function turnTo(owner: HTMLElement | null, afterMs: number): void {
    clearTimeout(timer);
    show(null);
    if (owner !== null) timer = setTimeout(() => show(owner.isConnected ? owner : null), afterMs);
  }
  const handlers = {
    pointerover(event: PointerEvent) {
      const owner = event.pointerType === 'touch' ? null : (ownerOf(event.target) ?? cutText(event.target));
      if (owner === under) return;
      under = owner;
      turnTo(owner, delayMs);
    },
    focusin(event: FocusEvent) {
      const owner = ownerOf(event.target);
      if (owner?.matches(':focus-visible')) turnTo(owner, 0);
    },
    focusout: () => turnTo(null, 0),
    pointerdown: () => turnTo(null, 0),
    keydown: () => turnTo(null, 0),
    scroll: () => turnTo(null, 0),
  };
  const stop = new AbortController();
  for (const [name, handler] of Object.entries(handlers))
    document.addEventListener(name, handler as (event: Event) => void, {
      capture: true,
      passive: true,
      signal: stop.signal,
    });
  return () => {
    clearTimeout(timer);
    stop.abort();
  };
}

export function TooltipLayer() {
  const [owner, setOwner] = useState<HTMLElement | null>(null);
  useEffect(() => listen(setOwner), []);
  const keys = owner?.getAttribute(tooltipData.keys) ?? null;
  return (
    <Base.Root open={owner !== null} onOpenChange={(isOpen) => isOpen || setOwner(null)}>
      <Base.Portal>
        {/* Its element already has the same words for a screen reader. */}
        <Base.Positioner
          anchor={owner}
          sideOffset={6}
          aria-hidden="true"
          className="pointer-events-none z-50"
        >
          <Base.Popup className="flex max-w-96 items-center gap-2 rounded-md wrap-anywhere bg-text px-2 py-1 text-xs text-surface shadow-(--shadow)">
            {owner?.getAttribute(tooltipData.text) ?? owner?.textContent}
            {keys === null ? null : <Keys keys={keys} />}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
