/**
 * Remote text that is made harmless for a terminal: no control character, escape sequence, or direction
 * override reaches it. A replaced character is shown as an escape (`\x1b`), so that nothing is hidden.
 */

/**
 * C0 except tab and line feed, DEL, C1, direction marks and overrides, line and paragraph separators, and the
 * byte order mark.
 */
const unsafe = /[[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\ufeff]--[\n\t]]/gv;

function escaped(char: string): string {
  const code = char.charCodeAt(0);
  return code < 0x100
    ? `\\x${code.toString(16).padStart(2, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** Keeps line feeds and tabs; CR LF counts as a line feed. */
export function harmless(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(unsafe, escaped);
}

/** For names and titles: line feeds and tabs are shown as `\n` and `\t`. */
export function oneLine(text: string): string {
  return harmless(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

/** For bodies: lines after the first are indented, so that none can pose as a line of its own. */
export function block(text: string): string {
  return harmless(text).replaceAll('\n', '\n    ');
}
