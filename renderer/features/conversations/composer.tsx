/**
 * The composer: Markdown, completion of @mentions, #channels, and /levels, files by drag and paste, and a saved draft.
 * Enter sends.
 */
import { Paperclip, SendHorizontal, X } from 'lucide-react';
import { useId } from 'react';
import { Button, IconButton } from '../../ui/button.tsx';
import { useFileChooser } from '../../ui/file-chooser.tsx';
import { FormError } from '../../ui/states.tsx';
import { AttachedFiles } from './attached-files.tsx';
import { CompletionList, optionId } from './completion-list.tsx';
import { quoteOf } from './quote.tsx';
import { useComposer } from './use-composer.ts';

interface ComposerProps {
  scope: string;
  /** The name of the conversation. */
  label: string;
  /** The field has the focus at the beginning. */
  hasFocus?: boolean;
}

export function Composer({ scope, label, hasFocus = false }: ComposerProps) {
  const form = useComposer(scope, label);
  const { attached, add, remove } = form.files;
  const chooser = useFileChooser(add);
  const listId = useId();
  /** Attaches pasted or dropped files; anything else is handled by the browser. */
  const attach = (event: { preventDefault(): void }, { files }: DataTransfer) => {
    if (files.length === 0) return;
    event.preventDefault();
    add(files);
  };
  return (
    <form
      aria-label="Write a message"
      className="relative border-t border-line bg-surface px-4 py-3"
      onSubmit={(event) => {
        event.preventDefault();
        form.submit();
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => attach(event, event.dataTransfer)}
    >
      {form.completion === null ? null : (
        <CompletionList
          id={listId}
          options={form.completion.options}
          active={form.active}
          onChoose={form.complete}
        />
      )}
      {form.answered === null ? null : (
        <div className="flex items-center gap-2 pb-2 text-sm text-soft">
          <span className="min-w-0 flex-1 truncate">Answering {quoteOf(form.answered)}</span>
          <IconButton label="Do not answer this message" onClick={() => form.answer(null)}>
            <X />
          </IconButton>
        </div>
      )}
      <AttachedFiles files={attached} onRemove={remove} />
      <div className="flex items-end gap-2 rounded-md border border-line-strong bg-surface px-2 py-1 focus-within:outline-2 focus-within:outline-(--focus)">
        {chooser.input}
        <IconButton label="Attach files" onClick={chooser.choose}>
          <Paperclip />
        </IconButton>
        <textarea
          ref={form.input}
          aria-label={`Message ${label}`}
          placeholder={`Message ${label}`}
          aria-controls={form.completion === null ? undefined : listId}
          aria-activedescendant={form.completion === null ? undefined : optionId(listId, form.active)}
          value={form.text}
          dir="auto"
          // biome-ignore lint/a11y/noAutofocus: only where the member asked to answer
          autoFocus={hasFocus}
          rows={Math.min(10, form.text.split('\n').length)}
          onChange={({ target }) => {
            form.write(target.value);
            form.setCaret(target.selectionStart);
          }}
          onSelect={(event) => form.setCaret(event.currentTarget.selectionStart)}
          onKeyDown={form.onKeyDown}
          onPaste={(event) => attach(event, event.clipboardData)}
          className="field-sizing-content max-h-[calc(10lh+0.75rem)] min-h-8 min-w-0 flex-1 resize-none bg-transparent py-1.5 outline-none placeholder:truncate"
        />
        <Button
          type="submit"
          look="primary"
          size="small"
          disabled={!form.canSend}
          isBusy={form.isSending}
          className="mb-0.5"
          aria-label="Send"
        >
          <SendHorizontal className="size-3.5" />
          Send
        </Button>
      </div>
      <p className="mt-1 text-xs text-faint max-sm:hidden">
        Enter sends, Shift+Enter adds a line, @ mentions a member, # a channel
        {form.hasLevels ? ', /warning sets the level' : ''}
      </p>
      <FormError error={form.error} />
    </form>
  );
}
