/** The state and the actions of the composer. */
import { type KeyboardEvent, useCallback, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { parseScope } from '#protocol/scope.ts';
import { useBroker } from '../../data/broker.tsx';
import { useSelf } from '../../data/self.tsx';
import { isComposing } from '../../ui/composing.ts';
import { useAttachments } from './attachments.ts';
import { draftKey, isAgain, readDraft, useDraft, writeDraft } from './drafts.ts';
import { useReplying } from './replying.ts';
import { useThreadNews } from './thread-news.ts';
import { useCompletion } from './use-completion.ts';
import { useSend } from './use-send.ts';
import { useTypingFocus } from './use-typing-focus.ts';

export function useComposer(scope: string, label: string) {
  const { transport } = useBroker();
  const self = useSelf().member;
  const place = draftKey(self, scope);
  const { text } = useDraft(place);
  const [caret, setCaret] = useState(0);
  const [answered, answer] = useReplying(scope);
  const { attached, add, remove, forget } = useAttachments(transport, self, scope);
  // A post in an objective's thread has no level.
  const hasLevels = parseScope(scope)?.kind !== 'objective';
  const input = useRef<HTMLTextAreaElement>(null);
  const { completion, active, restart, handleKey } = useCompletion(text, caret, hasLevels);
  const send = useSend({
    place,
    scope,
    label,
    hasLevels,
    isOnScreen: () => input.current !== null,
    onSent({ draft: sent, files, answered: done }) {
      // Text that was typed or files that were attached in the meantime belong to the next message.
      const now = readDraft(place);
      const isOther = isAgain(now) && now.id !== sent.id;
      if (now.text.startsWith(sent.text) && !isOther) write(now.text.slice(sent.text.length));
      forget(files);
      if (done !== null && done === answered) answer(null);
    },
  });
  // A message is not sent before all of its attachments are uploaded.
  const isEmpty = text.trim() === '' && attached.length === 0;
  const canSend = !isEmpty && attached.every(({ path }) => path !== null) && !send.isPending;
  const hasFailed = attached.some(({ error }) => error !== null);

  function write(next: string): void {
    writeDraft(place, next);
    restart();
    if (send.isError) send.reset();
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
  useThreadNews(
    'quote',
    scope,
    useCallback(
      (quote) => {
        const before = readDraft(place).text;
        const gap = before === '' || before.endsWith('\n\n') ? '' : '\n\n';
        flushSync(() => writeDraft(place, `${before}${gap}${quote}`));
        input.current?.focus();
        input.current?.setSelectionRange(input.current.value.length, input.current.value.length);
      },
      [place],
    ),
  );
  useTypingFocus(scope, input, answered);
  function submit(): void {
    const draft = readDraft(place);
    // Another tab may have sent or changed it, before this one has heard of it.
    if (canSend && draft.text === text) send.mutate({ draft, files: attached, answered });
  }
  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (isComposing(event.nativeEvent) || handleKey(event, complete)) return;
    if (event.key === 'Escape' && answered !== null) {
      event.preventDefault();
      answer(null);
      return;
    }
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    // Held down, it may have completed a name.
    if (!event.repeat) submit();
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
