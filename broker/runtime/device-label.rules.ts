/**
 * The name of a device in a session list: the program and the system that a User-Agent header names, in plain words
 * (specification/authentication.md#sessions). A client writes that header, so nothing but these words is shown.
 */
import { limits } from '#protocol/limits.ts';

export const unknownDevice = 'unknown device';

/** In the order of precedence: later programs also name earlier ones. */
const programs: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bElectron\//, 'Muster desktop app'],
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chromium|HeadlessChrome)\//, 'Chromium'],
  [/\b(?:Chrome|CriOS)\//, 'Chrome'],
  [/\bVersion\/\S+ (?:Mobile\/\S+ )?Safari\//, 'Safari'],
];

const systems: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\b(?:Windows|win32)\b/, 'Windows'],
  [/\b(?:Macintosh|Mac OS X|darwin)\b/, 'macOS'],
  [/\b(?:Linux|X11|linux)\b/, 'Linux'],
];

const find = (table: typeof programs, userAgent: string): string | undefined =>
  table.find(([pattern]) => pattern.test(userAgent))?.[1];

/** The first product of any other client, such as "curl" in "curl/8.1". */
const productPattern = /^([A-Za-z][A-Za-z0-9._-]*)/;

/** Returns at most 64 characters of ASCII. */
export function deviceLabel(userAgent: string | undefined): string {
  const text = (userAgent ?? '').slice(0, limits.userAgent);
  const product = productPattern.exec(text)?.[1];
  const program = find(programs, text) ?? (product === 'Mozilla' ? 'browser' : product);
  const system = find(systems, text);
  if (program === undefined) return system ?? unknownDevice;
  return (system === undefined ? program : `${program} on ${system}`).slice(0, limits.session.device);
}
