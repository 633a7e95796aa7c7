/** The width of a text in columns of a terminal. The text has no control characters. */

const graphemes = new Intl.Segmenter();

/** Characters that East Asian fonts draw in two columns, and the full-width forms of others. */
const wide =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Yi}\u3000-\u303e\u30fc\uff01-\uff60\uffe0-\uffe6]/u;
const halfWidth = /^[\uff61-\uffdc]/u;
/** Emoji by default, or by the sign that chooses this form. */
const emoji = /^\p{Emoji_Presentation}|\ufe0f/u;
const printableAscii = /^[ -~]*$/;
const joinsOnly = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;

function widthOfGrapheme(grapheme: string): number {
  if (joinsOnly.test(grapheme)) return 0;
  return (wide.test(grapheme) && !halfWidth.test(grapheme)) || emoji.test(grapheme) ? 2 : 1;
}

export function displayWidth(text: string): number {
  if (printableAscii.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += widthOfGrapheme(segment);
  return width;
}

/** Returns the text, cut with "…" if it takes more columns than these. No character is cut in two. */
export function cutTo(columns: number, text: string): string {
  if (displayWidth(text) <= columns) return text;
  let kept = '';
  let width = 1;
  for (const { segment } of graphemes.segment(text)) {
    width += widthOfGrapheme(segment);
    if (width > columns) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}
