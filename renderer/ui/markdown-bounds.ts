/**
 * Decides which texts are rendered as Markdown. A hostile text could otherwise block the page for many
 * seconds, or crash it with deep nesting.
 */
const maxLength = 16_000;
const maxDepth = 24;
const marker = /[>*+-]|\d{1,9}[.)]/g;

const nestingOf = (line: string): number => {
  const opening = /^(?:\s|[>*+-](?=[\s>]|$)|\d{1,9}[.)](?=\s))*/.exec(line)?.[0] ?? '';
  const markers = opening.match(marker)?.length ?? 0;
  return markers === 0 ? 0 : Math.max(markers, Math.floor((opening.length - opening.trimStart().length) / 2));
};

/** Whether the text is rendered as Markdown; otherwise, it is shown as plain text. */
export const isMarkdown = (text: string): boolean =>
  text.length <= maxLength && text.split('\n').every((line) => nestingOf(line) <= maxDepth);
