/** Escape closes an item that is open beside a list. */
import { useEffect } from 'react';
import { isLayerOpen } from './shortcuts.ts';

export function useEscape(onClose: () => void): void {
  useEffect(() => {
    function onKeyDown({ key }: KeyboardEvent): void {
      if (key === 'Escape' && !isLayerOpen()) onClose();
    }
    // Before a layer closes by the same key.
    document.addEventListener('keydown', onKeyDown, true);
    return () => document.removeEventListener('keydown', onKeyDown, true);
  }, [onClose]);
}
