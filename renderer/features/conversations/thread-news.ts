/** News between the thread on the screen and the composer of the same conversation. */
import { useEffect } from 'react';
import { createListeners } from '../../listeners.ts';

/**
 * `sent`: the composer has sent the message with this id, which the cached thread has already if it holds the end of the thread.
 * `quote`: the thread hands this text to the composer.
 */
type Kind = 'sent' | 'quote';

const { subscribe, tell } = createListeners<[kind: Kind, scope: string, text: string]>();

export const tellThread: (kind: Kind, scope: string, text: string) => void = tell;

export function useThreadNews(kind: Kind, scope: string, onNews: (text: string) => void): void {
  useEffect(
    () =>
      subscribe((told, place, text) => {
        if (told === kind && place === scope) onNews(text);
      }),
    [kind, scope, onNews],
  );
}
