/** Which texts are read as Markdown: a body made for it can otherwise hold the page for many seconds, or end it by nesting too deep. */
const maxLength = 16_000;
const maxDepth = 24;
const marker = /[>*+-]|\d{1,9}[.)]/g;

const nestingOf = (line: string): number => {
  const opening = /^(?:\s|[>*+-](?=[\s>]|$)|\d{1,9}[.)](?=\s))*/.exec(line)?.[0] ?? '';
  const markers = opening.match(marker)?.length ?? 0;
  return markers === 0 ? 0 : Math.max(markers, Math.floor((opening.length - opening.trimStart().length) / 2));
};

/** What is not is shown as it was written. */
export const isMarkdown = (text: string): boolean =>
  text.length <= maxLength && text.split('\n').every((line) => nestingOf(line) <= maxDepth);
