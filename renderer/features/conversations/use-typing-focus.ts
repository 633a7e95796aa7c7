/** When the text field of a conversation gets the focus. */
import { useRouterState } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef } from 'react';
import type { Message } from '#protocol/message.ts';

/** Gives the field the focus when an address with `#write` is opened, and when the member begins an answer. */
export function useTypingFocus(input: RefObject<HTMLTextAreaElement | null>, answered: Message | null): void {
  /** The step of the history that asks for it. */
  const asking = useRouterState({
    select: ({ location: { hash, state } }) => (hash === 'write' ? state.__TSR_key : undefined),
  });
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
