/** The way in which the content of a file is shown. Pure. */

export type FileKind =
  | { kind: 'image' | 'markdown' | 'diff' | 'pdf' | 'none' }
  /** `language`: as the highlighter knows it; undefined for plain text. */
  | { kind: 'code'; language: string | undefined };

const images = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'];

/** By the ending of the name. Browsers give many of these files another type, or none. */
const languageByEnding: Record<string, string> = Object.fromEntries(
  Object.entries({
    bash: 'sh bash zsh',
    c: 'c h',
    cpp: 'cc cpp cxx hpp hh',
    csharp: 'cs',
    css: 'css scss less',
    dockerfile: 'dockerfile',
    go: 'go',
    ini: 'ini toml conf cfg env properties',
    java: 'java',
    javascript: 'js mjs cjs jsx',
    json: 'json jsonl json5',
    kotlin: 'kt kts',
    python: 'py',
    ruby: 'rb',
    rust: 'rs',
    sql: 'sql',
    swift: 'swift',
    typescript: 'ts mts cts tsx',
    xml: 'xml html htm svg vue',
    yaml: 'yml yaml',
  }).flatMap(([language, endings]) => endings.split(' ').map((ending) => [ending, language])),
);
const plainEndings = ['txt', 'log', 'csv', 'tsv', 'lock', 'gitignore'];

/** `type`: the MIME type of the file, with or without parameters. */
export function fileKind(name: string, type: string | null): FileKind {
  const mime = (type ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  // A name without a dot is its own ending, such as Dockerfile.
  const ending = name.toLowerCase().split('.').at(-1) ?? '';
  if (images.includes(mime)) return { kind: 'image' };
  if (mime === 'application/pdf' || ending === 'pdf') return { kind: 'pdf' };
  if (mime === 'text/markdown' || ending === 'md' || ending === 'markdown') return { kind: 'markdown' };
  if (mime === 'text/x-diff' || mime === 'text/x-patch' || ending === 'diff' || ending === 'patch')
    return { kind: 'diff' };
  const language = Object.hasOwn(languageByEnding, ending) ? languageByEnding[ending] : undefined;
  if (language !== undefined) return { kind: 'code', language };
  if (mime === 'application/json') return { kind: 'code', language: 'json' };
  if (mime.startsWith('text/') || plainEndings.includes(ending)) return { kind: 'code', language: undefined };
  return { kind: 'none' };
}
