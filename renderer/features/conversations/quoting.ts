/** Hands a quote from the thread to the composer of the same conversation. */
import { useEffect } from 'react';

type Listener = (scope: string, quote: string) => void;
const listeners = new Set<Listener>();

export function quoteInto(scope: string, quote: string): void {
  for (const listener of listeners) listener(scope, quote);
}

export function useQuoting(scope: string, onQuote: (quote: string) => void): void {
  useEffect(() => {
    const listener: Listener = (place, quote) => {
      if (place === scope) onQuote(quote);
    };
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, [scope, onQuote]);
}
