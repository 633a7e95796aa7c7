/** Tells the thread on the screen that the composer has sent a message, so that the thread shows it. */
import { useEffect } from 'react';

type Listener = (scope: string, id: string) => void;
const listeners = new Set<Listener>();

export function tellSent(scope: string, id: string): void {
  for (const listener of listeners) listener(scope, id);
}

/** `onSent` gets the id of the message, which the cached thread has already if it holds the end of the thread. */
export function useJustSent(scope: string, onSent: (id: string) => void): void {
  useEffect(() => {
    const listener: Listener = (place, id) => {
      if (place === scope) onSent(id);
    };
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, [scope, onSent]);
}
