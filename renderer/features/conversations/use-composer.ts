/** The state and the actions of the composer. */
import { type KeyboardEvent, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { parseScope } from '#protocol/scope.ts';
import { useBroker } from '../../data/broker.tsx';
import { useSelf } from '../../data/self.tsx';
import { useAttachments } from './attachments.ts';
import { keepDraft, readDraft } from './drafts.ts';
import { useReplying } from './replying.ts';
import { useCompletion } from './use-completion.ts';
import { useSend } from './use-send.ts';

export function useComposer(scope: string, label: string) {
  const { transport } = useBroker();
  const self = useSelf().member;
  const [text, setText] = useState(() => readDraft(self, scope));
  const [caret, setCaret] = useState(0);
  const [answered, answer] = useReplying(scope);
  const { attached, add, remove, forget } = useAttachments(transport, self, scope);
  // A post in an objective's thread has no level.
  const hasLevels = parseScope(scope)?.kind !== 'objective';
  const input = useRef<HTMLTextAreaElement>(null);
  const { completion, active, restart, handleKey } = useCompletion(text, caret, hasLevels);
  const send = useSend({
    scope,
    label,
    hasLevels,
    isOnScreen: () => input.current !== null,
    onSent({ text: sent, files, answered: done }) {
      // Text that was typed or files that were attached in the meantime belong to the next message.
      const now = input.current?.value ?? readDraft(self, scope);
      write(now.startsWith(sent) ? now.slice(sent.length) : now);
      forget(files);
      if (done !== null && done === answered) answer(null);
    },
  });
  // A message is not sent before all of its attachments are uploaded.
  const canSend = text.trim() !== '' && attached.every(({ path }) => path !== null) && !send.isPending;
  const hasFailed = attached.some(({ error }) => error !== null);

  function write(next: string): void {
    setText(next);
    keepDraft(self, scope, next);
    restart();
  }
  function complete(option: string): void {
    if (completion === null) return;
    const next = `${text.slice(0, completion.from)}${option} ${text.slice(caret)}`;
    const at = completion.from + option.length + 1;
    // Synchronously, because the next letter may be typed before the next frame.
    flushSync(() => {
      write(next);
      setCaret(at);
    });
    input.current?.focus();
    input.current?.setSelectionRange(at, at);
  }
  function submit(): void {
    if (canSend) send.mutate({ text, files: attached, answered });
  }
  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (event.nativeEvent.isComposing || handleKey(event, complete)) return;
    if (event.key === 'Escape' && answered !== null) {
      event.preventDefault();
      answer(null);
      return;
    }
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    submit();
  }
  return {
    input,
    text,
    write,
    setCaret,
    onKeyDown,
    completion,
    active,
    complete,
    files: { attached, add, remove },
    hasLevels,
    answered,
    answer,
    submit,
    canSend,
    isSending: send.isPending,
    error: hasFailed ? new Error('A file could not be uploaded. Remove it, or attach it again.') : send.error,
  };
}
