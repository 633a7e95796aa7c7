/** Whether the window is wide enough for something beside the content. */
import { useSyncExternalStore } from 'react';

const wide = matchMedia('(min-width: 64rem)');

export const hasRoom = (): boolean => wide.matches;

function subscribe(listener: () => void): () => void {
  wide.addEventListener('change', listener);
  return () => wide.removeEventListener('change', listener);
}

export const useHasRoom = (): boolean => useSyncExternalStore(subscribe, hasRoom);
