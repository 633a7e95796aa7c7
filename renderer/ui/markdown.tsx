/**
 * Renders Markdown that members and agents wrote. It treats the text as hostile: no raw HTML, no remote
 * images, links only to http and https and shown with their host, and no scripts.
 */
import { type Components, toJsxRuntime } from 'hast-util-to-jsx-runtime';
import { Component, isValidElement, memo, type ReactNode, useContext } from 'react';
import { Fragment, jsx, jsxs } from 'react/jsx-runtime';
import { boundMarks } from '#protocol/combining-marks.ts';
import { isMarkdown } from '#protocol/markdown-bounds.ts';
import { linkClass } from './button.tsx';
import { CodeBlock } from './code-block.tsx';
import { DiffView } from './diff-view.tsx';
import { hostBehind } from './link-host.rules.ts';
import { markdownTree } from './markdown-tree.ts';
import { ReferencesContext } from './references.ts';
import { referenceElement } from './remark-references.ts';

const isWeb = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);

/** Returns the text of a link, also within emphasis or code. */
function wordsOf(node: ReactNode): string {
  if (typeof node === 'string' || typeof node === 'number') return String(node);
  if (Array.isArray(node)) return node.map(wordsOf).join('');
  return isValidElement<{ children?: ReactNode }>(node) ? wordsOf(node.props.children) : '';
}

function TextLink({ href, children }: { href?: string | undefined; children?: ReactNode }) {
  const references = useContext(ReferencesContext);
  if (href === undefined || !isWeb(href)) return <span>{children}</span>;
  const words = wordsOf(children);
  const own = words === href ? references?.ownLink(href) : null;
  if (references !== null && own != null) return <references.Own to={own} href={href} />;
  const host = hostBehind(words, href);
  return (
    <>
      <a
        href={href}
        target="_blank"
        rel="noopener noreferrer"
        title={new URL(href).host}
        className={linkClass}
      >
        {children}
      </a>
      {host === null ? null : <bdi className="text-soft"> ({host})</bdi>}
    </>
  );
}

/** A mention or a channel; its words are what was written. */
function Reference({ kind, name, children }: { kind?: string; name?: string; children?: ReactNode }) {
  const references = useContext(ReferencesContext);
  if (references === null || name === undefined) return children;
  return kind === 'mention' ? <references.Mention name={name} /> : <references.Channel slug={name} />;
}

/** The code between the fences, which have the language after them. */
function Code({ children }: { children?: ReactNode }) {
  const code = wordsOf(children).replace(/\n$/, '');
  const className = isValidElement<{ className?: string }>(children) ? children.props.className : undefined;
  const language = /(?:^|\s)language-(\S+)/.exec(className ?? '')?.[1];
  return language === 'diff' || language === 'patch' ? (
    <DiffView diff={code} />
  ) : (
    <CodeBlock code={code} language={language} />
  );
}

const paragraph =
  (className: string) =>
  ({ children }: { children?: ReactNode }) => (
    <p dir="auto" className={className}>
      {children}
    </p>
  );

const Plain = paragraph('my-1 whitespace-pre-wrap');

const components: Components & Record<typeof referenceElement, typeof Reference> = {
  a: ({ href, children }) => <TextLink href={href}>{children}</TextLink>,
  [referenceElement]: Reference,
  // Loading the image would tell its server who reads the message, and when.
  img: ({ alt, src }) => (
    <span className="text-soft">
      [image{alt ? `: ${alt}` : ''}
      {typeof src === 'string' && isWeb(src) ? ` at ${new URL(src).host}` : ''}]
    </span>
  ),
  h1: paragraph('mt-2 text-lg font-semibold'),
  h2: paragraph('mt-2 font-semibold'),
  h3: paragraph('mt-2 font-semibold'),
  h4: paragraph('font-semibold'),
  h5: paragraph('font-semibold'),
  h6: paragraph('font-semibold'),
  p: Plain,
  ul: ({ children }) => (
    <ul dir="auto" className="my-1 list-disc ps-5">
      {children}
    </ul>
  ),
  ol: ({ start, children }) => (
    <ol dir="auto" start={start} className="my-1 list-decimal ps-5">
      {children}
    </ol>
  ),
  blockquote: ({ children }) => (
    <blockquote dir="auto" className="my-1 border-s-2 border-line-strong ps-3 text-soft">
      {children}
    </blockquote>
  ),
  code: ({ children }) => <code className="rounded-sm bg-hover px-1 font-mono text-sm">{children}</code>,
  pre: ({ children }) => <Code>{children}</Code>,
  table: ({ children }) => (
    <div className="my-1 overflow-x-auto">
      <table
        dir="auto"
        className="border-collapse text-sm [&_td]:border [&_td]:border-line [&_td]:px-2 [&_td]:py-1 [&_th]:border [&_th]:border-line [&_th]:px-2 [&_th]:py-1"
      >
        {children}
      </table>
    </div>
  ),
  input: ({ checked }) => <span>{checked ? '☑ ' : '☐ '}</span>,
  hr: () => <hr className="my-2 border-line" />,
};

/** Shows the plain text if rendering it as Markdown throws. */
class AsWritten extends Component<{ text: string; children: ReactNode }, { isBroken: boolean }> {
  override state = { isBroken: false };
  static getDerivedStateFromError() {
    return { isBroken: true };
  }
  override render() {
    return this.state.isBroken ? <Plain>{this.props.text}</Plain> : this.props.children;
  }
}

const Rendered = ({ text }: { text: string }) =>
  toJsxRuntime(markdownTree(text), {
    Fragment,
    jsx,
    jsxs,
    components,
    passKeys: true,
    ignoreInvalidStyle: true,
  });

export const Markdown = memo(function Markdown({ text: written }: { text: string }) {
  const text = boundMarks(written);
  return (
    <div className="written [overflow-wrap:anywhere]">
      {isMarkdown(text) ? (
        <AsWritten text={text}>
          <Rendered text={text} />
        </AsWritten>
      ) : (
        <Plain>{text}</Plain>
      )}
    </div>
  );
});
