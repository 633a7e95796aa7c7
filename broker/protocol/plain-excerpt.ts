/** One line of plain text from Markdown that members wrote. Pure. */

/** The part of a text that is read, so that a long text costs no more than a short one. */
const maxRead = 4000;

/** An escaped sign, a block of code, or a span of code: its content has no marks. */
const literal =
  /\\([\n!-/:-@[-`{-~])|^[ \t>]*(`{3,}(?!`)|~{3,}(?!~))[^\n`]*\n(.*?)(?:^[ \t>]*\2[`~]*|$(?!.))|(?<!`)(`+)(?!`)([^`]+)\4(?!`)/gms;
const table = /^(?=.*\|)[ \t|:-]+$/m;
/** A line without words: a rule, the underline of a heading, or a row of a table. */
const wordless = /^[-=*_|:~`> \t]*$/gm;
/** Quotes, headings, items, and boxes at the start of a line. */
const leading = /^[ \t]*(?:(?:>|(?:#{1,6}|[-*+]|\d{1,9}[.)]|\[[ xX]\])(?=\s))[ \t]*)+/gm;

const link = /(!?)\[([^[\]]*)\](?:\([^()]*(?:\([^()]*\)[^()]*)?\)|\([^()\s]*$)/g;
const address = /(<)(https?:[^<>\s]*)>/g;
const struck = /(~~?)(?![\s~])([^~]+)(?<!\s)\1/g;
const underlined =
  /(?<![\p{L}\p{N}_])(_{1,3})(?![\s_])((?:[^_]|(?<=\w)_(?=\w))+)(?<!\s)\1(?![\p{L}\p{N}_])/gu;
const starred = /(\*{1,3})(?![\s*])([^*]+)(?<!\s)\1/g;
/** The second pass is for an image in a link, and for emphasis in emphasis. */
const marks = [link, link, address, struck, underlined, starred, starred];
/** A mark whose end was cut off. */
const unclosed = /(?<!\S)(?:\*\*|`+)(?=\S)/g;

/** Returns at most `max` characters; the last one is an ellipsis if something is left out. */
export function plainExcerpt(markdown: string, max = 200): string {
  const literals: string[] = [];
  const read = markdown.slice(0, maxRead).replaceAll('\0', '');
  const isTable = table.test(read);
  const blocks = read
    .replace(
      literal,
      (_, escaped, _fence, block, _ticks, span) => `\0${literals.push(escaped ?? block ?? span) - 1}\0`,
    )
    .replace(wordless, '')
    .replace(leading, '')
    .replaceAll('|', isTable ? ' ' : '|');
  const text = marks
    .reduce((words, mark) => words.replace(mark, '$2'), blocks)
    .replace(unclosed, '')
    .replace(/\0(\d+)\0/g, (_, index) => literals[index] ?? '')
    .replace(/\s+/g, ' ')
    .trim();
  if (text.length <= max && markdown.length <= maxRead) return text;
  return `${text.slice(0, max - 1).replace(/[\s\uD800-\uDBFF]+$/, '')}…`;
}
