/**
 * Splits code into tokens. It belongs to the worker, because a hostile text can take minutes.
 * Highlight.js returns a tree, and never markup, so nothing of the code can become an element.
 */
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import csharp from 'highlight.js/lib/languages/csharp';
import css from 'highlight.js/lib/languages/css';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import kotlin from 'highlight.js/lib/languages/kotlin';
import markdown from 'highlight.js/lib/languages/markdown';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import swift from 'highlight.js/lib/languages/swift';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { createLowlight } from 'lowlight';
import type { CodeToken, TokenKind } from './code-block.tsx';

const lowlight = createLowlight({
  bash,
  c,
  cpp,
  csharp,
  css,
  dockerfile,
  go,
  ini,
  java,
  javascript,
  json,
  kotlin,
  markdown,
  python,
  ruby,
  rust,
  sql,
  swift,
  typescript,
  xml,
  yaml,
});

/** By the first class that Highlight.js gives to a token. */
const kindByClass: Record<string, TokenKind> = {
  'hljs-keyword': 'keyword',
  'hljs-built_in': 'keyword',
  'hljs-literal': 'keyword',
  'hljs-selector-tag': 'keyword',
  'hljs-name': 'keyword',
  'hljs-section': 'keyword',
  'hljs-string': 'string',
  'hljs-regexp': 'string',
  'hljs-link': 'string',
  'hljs-code': 'string',
  'hljs-number': 'number',
  'hljs-symbol': 'number',
  'hljs-bullet': 'number',
  'hljs-comment': 'comment',
  'hljs-quote': 'comment',
  'hljs-meta': 'comment',
  'hljs-title': 'name',
  'hljs-type': 'name',
  'hljs-attr': 'name',
  'hljs-attribute': 'name',
  'hljs-selector-class': 'name',
  'hljs-selector-id': 'name',
};

type Tree = ReturnType<typeof lowlight.highlight>;

function collect(nodes: Tree['children'], around: TokenKind | null, tokens: CodeToken[]): void {
  for (const node of nodes) {
    if (node.type === 'text') tokens.push({ text: node.value, kind: around });
    if (node.type !== 'element') continue;
    const { className } = node.properties;
    const [first] = Array.isArray(className) ? className : [];
    collect(node.children, kindByClass[String(first)] ?? around, tokens);
  }
}

/** Compiles a language, given by its name or a usual ending of its files. Returns whether it is known. */
export function prepare(language: string): boolean {
  if (!lowlight.registered(language)) return false;
  lowlight.highlight(language, '');
  return true;
}

/** `language`: one that is prepared. */
export function tokensOf(code: string, language: string): readonly CodeToken[] {
  const tokens: CodeToken[] = [];
  collect(lowlight.highlight(language, code).children, null, tokens);
  return tokens;
}
