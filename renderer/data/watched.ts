/** The conversation whose end is on the screen: what arrives there is read at once, so it is not counted as unread. */
import { useEffect, useSyncExternalStore } from 'react';
import type { Unread } from '#protocol/receipt.ts';
import { createListeners } from '../listeners.ts';

let watched: string | null = null;
const { subscribe, tell } = createListeners();

function set(scope: string | null): void {
  if (watched === scope) return;
  watched = scope;
  tell();
}

/** The scope in text form; null if none is watched. */
export const useWatched = (): string | null => useSyncExternalStore(subscribe, () => watched);

/** Declares the scope as watched as long as `isWatching` is true. */
export function useWatching(scope: string, isWatching: boolean): void {
  useEffect(() => {
    if (!isWatching) return;
    set(scope);
    return () => set(null);
  }, [scope, isWatching]);
}

/** Returns the counts with the watched conversation as read. */
export const withoutCounts = (unread: Unread, scope: string | null): Unread =>
  scope === null || !unread.scopes.some((one) => one.scope === scope && one.count > 0)
    ? unread
    : {
        ...unread,
        scopes: unread.scopes.map((one) => (one.scope === scope ? { ...one, count: 0, mentions: 0 } : one)),
      };
