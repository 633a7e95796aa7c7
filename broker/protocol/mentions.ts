/**
 * Mentions in text: `@name` at word boundaries (specification/web-push.md#sending). No schema here, so that
 * every program can load it cheaply.
 */

/** Matches a name as far as it goes; a dot or hyphen that ends a sentence is not part of it. */
export const mentionPattern =
  /(?<![\p{L}\p{N}_])@([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?![\p{L}\p{N}_])/gu;

/** Returns the mentioned names as written; whether they are members' is not known here. */
export function mentionsIn(text: string): Set<string> {
  const names = new Set<string>();
  if (!text.includes('@')) return names;
  for (const [, name = ''] of text.matchAll(mentionPattern)) names.add(name);
  return names;
}
