/**
 * Remote text that is made harmless for a terminal: no control character, escape sequence, or direction
 * override reaches it. A replaced character is shown as an escape (`\x1b`), so that nothing is hidden.
 */
import { boundMarks } from '#protocol/combining-marks.ts';

/**
 * C0 except tab and line feed, DEL, C1, direction marks and overrides, line and paragraph separators, and what has no
 * width, except what joins letters and emoji or chooses their form.
 */
const unsafe =
  /[[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\n\t\u200c\u200d\ufe00-\ufe0f]]/gv;

function escaped(sign: string): string {
  const code = sign.codePointAt(0) ?? 0;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\u{${code.toString(16)}}`;
}

/** Keeps line feeds and tabs; CR LF counts as a line feed. Thousands of marks on one letter are bounded. */
export function harmless(text: string): string {
  return boundMarks(text.replaceAll('\r\n', '\n').replace(unsafe, escaped));
}

/** For names and titles: line feeds and tabs are shown as `\n` and `\t`. */
export function oneLine(text: string): string {
  return harmless(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

/** For bodies: lines after the first are indented, so that none can pose as a line of its own. */
export function block(text: string): string {
  return harmless(text).replaceAll('\n', '\n    ');
}
