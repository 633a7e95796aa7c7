/** When the text field of a conversation gets the focus. */
import { type RefObject, useEffect, useRef } from 'react';
import type { Message } from '#protocol/message.ts';
import { askToWrite, useIsAskedToWrite } from './asked-to-write.ts';

/** Gives the field the focus when the member asked to write there, and when the member begins an answer. */
export function useTypingFocus(
  scope: string,
  input: RefObject<HTMLTextAreaElement | null>,
  answered: Message | null,
): void {
  const isAsked = useIsAskedToWrite(scope);
  useEffect(() => {
    if (!isAsked || input.current === null) return;
    input.current.focus();
    askToWrite(null);
  }, [isAsked, input]);
  const shownAnswer = useRef(answered);
  useEffect(() => {
    // An answer that was begun before the conversation was opened opens no on-screen keyboard.
    if (answered !== null && answered !== shownAnswer.current) input.current?.focus();
    shownAnswer.current = answered;
  }, [answered, input]);
}
