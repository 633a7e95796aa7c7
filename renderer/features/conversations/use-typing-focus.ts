/** When the text field of a conversation gets the focus. */
import { type HistoryState, useRouterState } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef } from 'react';
import type { Message } from '#protocol/message.ts';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** In ms, so that the same address can ask again. */
    askedToWriteAt?: number;
  }
}

/** For a navigation that leads to the text field. */
export const askingToWrite = () => ({
  hash: 'write',
  state: (before: HistoryState) => ({ ...before, askedToWriteAt: Date.now() }),
});

/** Returns the step of the history whose address asks to write (`#write`); undefined if the present one does not. */
export const useWritingStep = (): string | undefined =>
  useRouterState({
    select: ({ location: { hash, state } }) => (hash === 'write' ? state.__TSR_key : undefined),
  });

/** Gives the field the focus when an address with `#write` is opened, and when the member begins an answer. */
export function useTypingFocus(input: RefObject<HTMLTextAreaElement | null>, answered: Message | null): void {
  const asking = useWritingStep();
  useEffect(() => {
    if (asking !== undefined) input.current?.focus();
  }, [asking, input]);
  const shownAnswer = useRef(answered);
  useEffect(() => {
    // An answer that was begun before the conversation was opened opens no on-screen keyboard.
    if (answered !== null && answered !== shownAnswer.current) input.current?.focus();
    shownAnswer.current = answered;
  }, [answered, input]);
}
