/** Texts that this browser keeps for a member, as values that components follow, also those of other tabs. */
import { useSyncExternalStore } from 'react';
import { subscribeToStorage, tellStorageChange } from './storage-changes.ts';

/** Returns null if nothing is kept, or if the browser keeps nothing for this page. */
export function keptText(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export const useKeptText = (key: string): string | null =>
  useSyncExternalStore(subscribeToStorage, () => keptText(key));

/** @throws DOMException if the browser has no room, or keeps nothing for this page. */
export function keepText(key: string, text: string): void {
  localStorage.setItem(key, text);
  tellStorageChange();
}
