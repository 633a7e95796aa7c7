/**
 * Secrets of a known form that were written in base64, such as those of a cluster or of a file that was read
 * that way.
 */
import { masked, maskKeys } from './secret-forms.rules.ts';

/** Shorter ones contain no known form. */
const shortest = 24;
const leastOfLine = 1;
const isEncoded = new Uint8Array(128);
for (const sign of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-')
  isEncoded[sign.charCodeAt(0)] = 1;
/** Lines of one file as `base64` wraps them belong together, also if their ends are escaped in JSON. */
const lineEnd = /\r?\n|(?:\\{1,7}r)?\\{1,7}n/y;
const padding = /={1,2}|(?:%3D){1,2}/iy;

function endOfLine(text: string, from: number): number {
  let at = from;
  while (at < text.length && isEncoded[text.charCodeAt(at)] === 1) at += 1;
  return at;
}

function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

interface Run {
  at: number;
  end: number;
  /** Without its line ends. */
  encoded: string;
}

function runsOf(text: string): Run[] {
  const runs: Run[] = [];
  for (let at = 0; at < text.length; ) {
    if (text[at] === '\\') {
      // The letter of an escape is not part of it.
      while (text[at] === '\\') at += 1;
      at += 1;
      continue;
    }
    let end = endOfLine(text, at);
    if (end - at >= shortest) {
      let encoded = text.slice(at, end);
      for (;;) {
        const next = endOf(lineEnd, text, end);
        const nextEnd = next === end ? end : endOfLine(text, next);
        if (nextEnd - next < leastOfLine) break;
        encoded += text.slice(next, nextEnd);
        end = nextEnd;
      }
      runs.push({ at, end, encoded });
    }
    at = Math.max(end, at + 1);
  }
  return runs;
}

/** A field of JSON or a setting that names a password. */
const namedSecret =
  /(?:passw(?:or)?d|passphrase|secret|token|api_?key|"auths?)"?\s{0,4}[:=]\s{0,4}"?[!-~]{3}/i;

function holdSecrets(runs: readonly Run[]): boolean {
  const plain = runs.flatMap(({ encoded }) =>
    // The text before a secret in the same run may have any length.
    [0, 1, 2, 3].map((from) => Buffer.from(encoded.slice(from), 'base64').toString('latin1')),
  );
  const joined = plain.join('\n');
  return maskKeys(joined) !== joined || plain.some((one) => namedSecret.test(one));
}

/** Most texts have many runs and no secret, so this many are checked together. */
const together = 256;

/** Returns the text with every run of base64 that contains a secret replaced by `[masked]`. */
export function maskEncoded(text: string): string {
  const runs = runsOf(text);
  let out = '';
  let from = 0;
  for (let first = 0; first < runs.length; first += together) {
    const some = runs.slice(first, first + together);
    if (!holdSecrets(some)) continue;
    for (const run of some.filter((one) => holdSecrets([one]))) {
      out += text.slice(from, run.at) + masked;
      from = endOf(padding, text, run.end);
    }
  }
  return from === 0 ? text : out + text.slice(from);
}
