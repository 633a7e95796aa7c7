/** Leads from an action elsewhere to the text field of a conversation, once, also if the field is shown only then. */
import { type RefObject, useEffect, useSyncExternalStore } from 'react';

/** The conversation in which the member wants to write, until its field has the focus. */
let asked: string | null = null;
const listeners = new Set<() => void>();

export function askToWrite(scope: string | null): void {
  asked = scope;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export const useIsAskedToWrite = (scope: string): boolean =>
  useSyncExternalStore(subscribe, () => asked === scope);

export function useFocusWhenAsked(scope: string, input: RefObject<HTMLElement | null>): void {
  const isAsked = useIsAskedToWrite(scope);
  useEffect(() => {
    if (!isAsked || input.current === null) return;
    input.current.focus();
    askToWrite(null);
  }, [isAsked, input]);
}
