/** A block of code: highlighted, scrollable, and with a button that copies it. */
import { useEffect, useState } from 'react';
import { boundMarks } from '#protocol/combining-marks.ts';
import { cx } from './class-names.ts';
import { CopyIconButton } from './copy-button.tsx';
import { highlight } from './highlighter.ts';
import { scrollable } from './scrollable.ts';

export type TokenKind = 'keyword' | 'string' | 'number' | 'comment' | 'name';

export interface CodeToken {
  text: string;
  /** Null for everything that is not highlighted. */
  kind: TokenKind | null;
}

const classByKind: Record<TokenKind, string> = {
  keyword: 'text-accent font-medium',
  string: 'text-positive',
  number: 'text-caution',
  comment: 'text-faint italic',
  name: 'text-info',
};

/** Longer code is shown as it is, because thousands of tokens would block the page. */
const maxHighlightedLength = 20_000;

/** Returns null until the tokens are known, and if there are none. */
function useTokens(code: string, language: string | undefined): readonly CodeToken[] | null {
  const [found, setFound] = useState<{ of: string; tokens: readonly CodeToken[] | null } | null>(null);
  const of = `${language}\n${code}`;
  useEffect(() => {
    if (language === undefined || code.length > maxHighlightedLength) return undefined;
    return highlight({ code, language }, (tokens) => setFound({ of, tokens }));
  }, [code, language, of]);
  return found?.of === of ? found.tokens : null;
}

export interface CodeBlockProps {
  code: string;
  /** Its name or a usual ending of its files, such as `ts`; unknown ones are not highlighted. */
  language?: string | undefined;
  /** The accessible name; the default names the language. */
  label?: string;
  /** For the scrolling element, such as its maximum height. */
  className?: string;
}

/** Shows the code immediately. It is highlighted without a change in size when a worker has read it. */
export function CodeBlock({ code, language, label, className }: CodeBlockProps) {
  const shown = boundMarks(code);
  const tokens = useTokens(shown, language?.toLowerCase());
  return (
    <div className="group/code relative my-1">
      <pre
        dir="ltr"
        {...scrollable(label ?? (language === undefined ? 'Code' : `Code (${language})`))}
        className={cx(
          'overflow-auto rounded-md bg-sunken p-2 pr-9 font-mono text-sm max-md:min-h-13 max-md:pr-13',
          className,
        )}
      >
        <code>
          {tokens === null
            ? shown
            : tokens.map(({ text, kind }, index) =>
                kind === null ? (
                  text
                ) : (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the places of one text
                  <span key={index} data-token={kind} className={classByKind[kind]}>
                    {text}
                  </span>
                ),
              )}
        </code>
      </pre>
      <CopyIconButton text={code} label="Copy the code" />
    </div>
  );
}
