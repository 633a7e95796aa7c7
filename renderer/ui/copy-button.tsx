/** Copies a text and confirms it. */
import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button, IconButton } from './button.tsx';
import { cx } from './class-names.ts';
import { copyText } from './copy-text.ts';

/** Returns whether the text was copied a moment ago, and what copies it. */
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
  return { state, copy };
}

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const { state, copy } = useCopying(text);
  return (
    <Button size="small" onClick={copy}>
      {state === 'copied' ? <Check className="size-3.5" /> : <Copy className="size-3.5" />}
      <span aria-live="polite">
        {state === 'copied' ? 'Copied' : state === 'failed' ? 'Select and copy it manually' : label}
      </span>
    </Button>
  );
}

const wordsByState = { copied: 'Copied', failed: 'Select and copy it manually' };

/** A small button over a corner of what it copies; `label` is its name until it was pressed. */
export function CopyIconButton({
  text,
  label,
  className,
}: {
  text: string;
  label: string;
  className?: string;
}) {
  const { state, copy } = useCopying(text);
  const words = state === 'idle' ? label : wordsByState[state];
  return (
    <>
      <IconButton label={words} className={cx('size-6!', className)} onClick={copy}>
        {state === 'copied' ? <Check /> : <Copy />}
      </IconButton>
      <span aria-live="polite" className="sr-only">
        {state === 'idle' ? '' : words}
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
