/** Remote text in tool results: it stays on its own lines, and nothing in it is invisible. */

/** Control and format characters are shown as escapes; line breaks stay. */
export const visible = (text: string): string =>
  text.replaceAll(
    /(?![\n\t\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`,
  );

/** One line. */
export const inLine = (text: string): string => visible(text).replaceAll(/\s*\n\s*/g, ' ');

const maxShortCharacters = 80;

/** The beginning of one line. */
export const shortLine = (text: string): string =>
  text.length > maxShortCharacters
    ? `${inLine(text.slice(0, maxShortCharacters).toWellFormed())}…`
    : inLine(text);

/**
 * Several lines, of which all except the first are indented, so that none of them can pose as a line of the
 * result.
 */
export const indented = (text: string, by = '    '): string => visible(text).replaceAll('\n', `\n${by}`);

const steps: [number, string][] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
];

/** `3h ago`, `just now`. */
export function ageOf(at: number, now: number): string {
  const passed = Math.max(0, now - at);
  const step = steps.find(([ms]) => passed >= ms);
  return step === undefined ? 'just now' : `${Math.floor(passed / step[0])}${step[1]} ago`;
}
