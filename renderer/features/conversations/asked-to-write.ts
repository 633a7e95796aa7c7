/** Leads from a command or an action elsewhere to the text field of a conversation, once, also if the field is shown only then. */
import { useSyncExternalStore } from 'react';
import { createListeners } from '../../listeners.ts';

/** The conversation in which the member wants to write, until its field has the focus. */
let asked: string | null = null;
const { subscribe, tell } = createListeners();

export function askToWrite(scope: string | null): void {
  asked = scope;
  tell();
}

export const useIsAskedToWrite = (scope: string): boolean =>
  useSyncExternalStore(subscribe, () => asked === scope);
