/** Writing: Markdown, @mention and /level completion, files by drag and paste, a draft that is kept. Enter sends. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Paperclip, SendHorizontal, X } from 'lucide-react';
import {
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react';
import { flushSync } from 'react-dom';
import { type ThreadPages, withMessage } from '../../data/apply-event.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { useRoster, useSelf } from '../../data/queries.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { FormError, sentenceOf } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { type Attached, useAttachments } from './attachments.ts';
import { completionAt, levelOf } from './completion.rules.ts';
import { keepDraft, readDraft } from './drafts.ts';
import { sendMessage } from './send-message.ts';

interface Sent {
  text: string;
  files: readonly Attached[];
}

export function Composer({ scope, label }: { scope: string; label: string }) {
  const { client, transport } = useBroker();
  const cache = useQueryClient();
  const { data: roster } = useRoster();
  const names = useMemo(() => (roster?.teammates ?? []).map(({ name }) => name as string), [roster]);
  const self = useSelf().member;
  const [text, setText] = useState(() => readDraft(self, scope));
  const [caret, setCaret] = useState(0);
  const [active, setActive] = useState(0);
  const [isDismissed, setDismissed] = useState(false);
  const { attached, add, remove, forget } = useAttachments(transport, self, scope);
  // A post in an objective's thread has no level.
  const hasLevels = !scope.startsWith('obj:');
  const input = useRef<HTMLTextAreaElement>(null);
  const chooser = useRef<HTMLInputElement>(null);
  const listId = useId();
  /** One key per message: a second try of the same text and files is the same message. */
  const tried = useRef<{ what: string; key: string } | null>(null);
  const send = useMutation({
    // What is sent is what the screen showed at the moment: not what this function knew when it was made.
    mutationFn: ({ text, files }: Sent) => {
      const { level, body } = hasLevels
        ? levelOf(text.trim())
        : { level: 'info' as const, body: text.trim() };
      const attachments = files.flatMap(({ path }) => path ?? []);
      const what = JSON.stringify([text, attachments]);
      if (tried.current?.what !== what) tried.current = { what, key: crypto.randomUUID() };
      return sendMessage(client, { scope, body, level, attachments, key: tried.current.key });
    },
    onError: (error) => {
      // The box it stands in is not on the screen.
      if (input.current === null) toast(`Your message to ${label} was not sent`, sentenceOf(error));
    },
    onSuccess: (message, { text: sent, files }) => {
      tried.current = null;
      // What was typed or attached meanwhile is of the next message.
      const now = input.current?.value ?? readDraft(self, scope);
      write(now.startsWith(sent) ? now.slice(sent.length) : now);
      forget(files);
      // The stream brings it, too; whoever is first, it shows once.
      cache.setQueryData<ThreadPages>(keys.thread(scope), (held) => held && withMessage(held, message));
    },
  });

  const found = isDismissed ? null : completionAt(text, caret, names);
  const completion = !hasLevels && found?.options[0]?.startsWith('/') ? null : found;
  // Nothing goes without a file that the person put to it.
  const canSend = text.trim() !== '' && attached.every(({ path }) => path !== null) && !send.isPending;
  const hasFailed = attached.some(({ error }) => error !== null);
  const submit = () => {
    if (canSend) send.mutate({ text, files: attached });
  };

  function write(next: string): void {
    setText(next);
    keepDraft(self, scope, next);
    setDismissed(false);
    setActive(0);
  }
  function complete(option: string): void {
    if (completion === null) return;
    const next = `${text.slice(0, completion.from)}${option} ${text.slice(caret)}`;
    const at = completion.from + option.length + 1;
    // At once: the next letter may come before the next frame.
    flushSync(() => {
      write(next);
      setCaret(at);
    });
    input.current?.focus();
    input.current?.setSelectionRange(at, at);
  }
  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (event.nativeEvent.isComposing) return;
    if (completion !== null) {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step !== undefined) {
        event.preventDefault();
        setActive((at) => (at + step + completion.options.length) % completion.options.length);
        return;
      }
      if (event.key === 'Tab' || event.key === 'Enter') {
        event.preventDefault();
        complete(completion.options[active] ?? completion.options[0] ?? '');
        return;
      }
      if (event.key === 'Escape') {
        event.preventDefault();
        setDismissed(true);
        return;
      }
    }
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      submit();
    }
  }
  const onPaste = (event: ClipboardEvent) => {
    if (event.clipboardData.files.length === 0) return;
    event.preventDefault();
    add(event.clipboardData.files);
  };
  const onDrop = (event: DragEvent) => {
    if (event.dataTransfer.files.length === 0) return;
    event.preventDefault();
    add(event.dataTransfer.files);
  };

  return (
    <form
      aria-label="Write"
      className="relative border-t border-line bg-surface px-4 py-3"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={onDrop}
    >
      {completion === null ? null : (
        <div
          id={listId}
          role="listbox"
          tabIndex={-1}
          aria-label="Completions"
          className="absolute bottom-full left-4 z-10 mb-1 w-56 rounded-md border border-line bg-raised p-1 shadow-(--shadow)"
        >
          {completion.options.map((option, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: keys go through the text
            // biome-ignore lint/a11y/useFocusableInteractive: the text keeps the focus
            <div
              key={option}
              id={`${listId}-${index}`}
              role="option"
              aria-selected={index === active}
              onClick={() => complete(option)}
              className={cx('rounded-sm px-2 py-1', index === active && 'bg-selected')}
            >
              {option}
            </div>
          ))}
        </div>
      )}
      {attached.length === 0 ? null : (
        <ul className="mb-2 flex flex-wrap gap-1.5" aria-label="Attached files">
          {attached.map(({ id, name, progress, path, error }) => (
            <li key={id} className="flex h-8 items-center gap-2 rounded-md border border-line pl-2 text-sm">
              <span className="max-w-44 truncate">{name}</span>
              {error !== null ? <span className="text-critical">{error}</span> : null}
              {path === null && error === null ? (
                <progress aria-label={`Uploading ${name}`} value={progress} className="h-1.5 w-16" />
              ) : null}
              <IconButton label={`Remove ${name}`} onClick={() => remove(id)}>
                <X />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      <div className="flex items-end gap-2 rounded-md border border-line-strong bg-surface px-2 py-1 focus-within:outline-2 focus-within:outline-(--focus)">
        <input
          ref={chooser}
          type="file"
          multiple
          className="hidden"
          onChange={(event) => {
            add(event.target.files ?? []);
            event.target.value = '';
          }}
        />
        <IconButton label="Attach files" onClick={() => chooser.current?.click()}>
          <Paperclip />
        </IconButton>
        <textarea
          ref={input}
          aria-label={`Message ${label}`}
          placeholder={`Message ${label}`}
          aria-controls={completion === null ? undefined : listId}
          aria-activedescendant={completion === null ? undefined : `${listId}-${active}`}
          value={text}
          rows={Math.min(8, text.split('\n').length)}
          onChange={(event) => {
            write(event.target.value);
            setCaret(event.target.selectionStart);
          }}
          onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
          className="max-h-48 min-h-8 flex-1 resize-none bg-transparent py-1.5 outline-none"
        />
        <Button
          type="submit"
          look="primary"
          size="small"
          disabled={!canSend}
          isBusy={send.isPending}
          className="mb-0.5"
          aria-label="Send"
        >
          <SendHorizontal className="size-3.5" />
          Send
        </Button>
      </div>
      <div className="mt-1 flex justify-between text-xs text-faint max-sm:hidden">
        <span>
          Enter sends, Shift+Enter breaks the line, @ mentions{hasLevels ? ', /warning raises the level' : ''}
        </span>
      </div>
      <FormError
        error={hasFailed ? new Error('A file is not uploaded. Remove it, or attach it again.') : send.error}
      />
    </form>
  );
}
