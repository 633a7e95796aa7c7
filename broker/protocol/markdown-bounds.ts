/**
 * Decides which texts are rendered as Markdown. A hostile text could otherwise block the page for many
 * seconds, with thousands of blocks of code among others, or crash it with deep nesting.
 */
const maxLength = 16_000;
const maxDepth = 24;
const maxFences = 100;
const marker = /[>*+-]|\d{1,9}[.)]/g;

const nestingOf = (line: string): number => {
  const opening = /^(?:\s|[>*+-](?=[\s>]|$)|\d{1,9}[.)](?=\s))*/.exec(line)?.[0] ?? '';
  const markers = opening.match(marker)?.length ?? 0;
  return markers === 0 ? 0 : Math.max(markers, Math.floor((opening.length - opening.trimStart().length) / 2));
};

/** Whether the line begins or ends a block of code, also within quotes and lists. */
const isFence = (line: string): boolean => /^(?:[\s>*+-]|\d{1,9}[.)])*(?:`{3}|~{3})/.test(line);

/** Whether the text is rendered as Markdown; otherwise, it is shown as plain text. */
export function isMarkdown(text: string): boolean {
  if (text.length > maxLength) return false;
  // Markdown knows these three ends of a line.
  const lines = text.split(/\r\n|\r|\n/);
  return lines.every((line) => nestingOf(line) <= maxDepth) && lines.filter(isFence).length <= maxFences;
}
