/** Copies a text and confirms it. */
import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button, IconButton } from './button.tsx';
import { copyText } from './copy-text.ts';

const wordsByState = { idle: null, copied: 'Copied', failed: 'Select and copy it manually' };

/** `words`: the result of the copying, for a moment after it; null otherwise. */
function useCopying(text: string) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), 2500);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = () =>
    copyText(text).then(
      () => setState('copied'),
      () => setState('failed'),
    );
  return { isCopied: state === 'copied', words: wordsByState[state], copy };
}

function CopyButton({ text }: { text: string }) {
  const { isCopied, words, copy } = useCopying(text);
  return (
    <Button size="small" onClick={copy}>
      {isCopied ? <Check className="size-3.5" /> : <Copy className="size-3.5" />}
      <span aria-live="polite">{words ?? 'Copy'}</span>
    </Button>
  );
}

/** A small button over a corner of a `group/code`, for its text. `label`: its name until it was pressed. */
export function CopyIconButton({ text, label }: { text: string; label: string }) {
  const { isCopied, words, copy } = useCopying(text);
  return (
    <>
      <IconButton
        label={words ?? label}
        className="absolute top-1 right-1 size-6! bg-raised opacity-0 group-focus-within/code:opacity-100 group-hover/code:opacity-100 pointer-coarse:opacity-100"
        onClick={copy}
      >
        {isCopied ? <Check /> : <Copy />}
      </IconButton>
      <span aria-live="polite" className="sr-only">
        {words}
      </span>
    </>
  );
}

/** A command or a secret, with a copy button. It is whole also where it needs more than one line. */
export function CopyLine({ text, label }: { text: string; label: string }) {
  return (
    <div className="flex items-center gap-2 rounded-md border border-line bg-sunken py-1 pr-1 pl-3">
      <textarea
        readOnly
        rows={1}
        aria-label={label}
        value={text}
        onFocus={(event) => event.target.select()}
        className="field-sizing-content min-w-0 flex-1 resize-none bg-transparent font-mono text-sm wrap-anywhere"
      />
      <CopyButton text={text} />
    </div>
  );
}
