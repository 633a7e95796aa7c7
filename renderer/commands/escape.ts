/** Escape closes an item that is open beside a list. */
import { useEffect } from 'react';
import { isComposing } from '../ui/composing.ts';
import { isLayerOpen } from './shortcuts.ts';

export function useEscape(onClose: () => void): void {
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent): void {
      if (event.key === 'Escape' && !isComposing(event) && !isLayerOpen()) onClose();
    }
    // Before a layer closes by the same key.
    document.addEventListener('keydown', onKeyDown, true);
    return () => document.removeEventListener('keydown', onKeyDown, true);
  }, [onClose]);
}
