/** Mentions in text: `@name` at word boundaries (D12). No schema here, so that every side can load it cheaply. */

/** A name as long as it goes; a dot or hyphen that ends a sentence is not part of it. */
const mention = /(?<![\p{L}\p{N}_])@([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?![\p{L}\p{N}_])/gu;

/** The names mentioned, as written; whether they are members' is not known here. */
export function mentionsIn(text: string): Set<string> {
  const names = new Set<string>();
  if (!text.includes('@')) return names;
  for (const [, name = ''] of text.matchAll(mention)) names.add(name);
  return names;
}
