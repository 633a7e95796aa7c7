/**
 * Masks secrets, so that none leaves the process
 * (specification/runner.md#what-the-agent-did). Text without secrets stays as it is, and masking masked text
 * changes nothing.
 */
import { maskEncoded } from './secret-encodings.rules.ts';
import { maskFields } from './secret-fields.rules.ts';
import { masked, maskForms } from './secret-forms.rules.ts';
import { decoded, isSecretHeader, isSecretName, isSecretParameter } from './secret-names.rules.ts';

/** Any text: prose, code, JSON, a header line, or an address. It takes time in proportion to its length. */
export function maskText(text: string): string {
  return text.length < 8 ? text : maskFields(maskEncoded(maskForms(text)));
}

/** Headers by name, with repeated ones as a list. Secret ones keep their name. */
export function maskHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string | string[]> {
  const out: [string, string | string[]][] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    const one = (text: string): string => (isSecretHeader(name) ? masked : maskText(text));
    out.push([maskText(name), typeof value === 'string' ? one(value) : value.map(one)]);
  }
  return Object.fromEntries(out);
}

/** A part of an address, including what would be a secret once its percent signs are decoded. */
function maskPart(part: string): string {
  const plain = decoded(part);
  const shown = maskText(plain);
  return shown === plain ? maskText(part) : encodeURIComponent(shown);
}

/** An address, whole or from its path on. */
export function maskUrl(url: string): string {
  const [beforeFragment = '', ...fragment] = url.split('#');
  const [path = '', ...query] = beforeFragment.split('?');
  const parameters = (text: string): string =>
    text
      .split('&')
      .map((pair) => {
        const at = pair.indexOf('=');
        if (at < 0) return maskPart(pair);
        const name = pair.slice(0, at);
        const value = pair.slice(at + 1);
        return `${maskPart(name)}=${isSecretParameter(name) && value !== '' ? masked : maskPart(value)}`;
      })
      .join('&');
  const scheme = /^[a-z][a-z0-9+.-]{0,31}:\/\/[^/]*/i.exec(path)?.[0] ?? '';
  const origin = scheme.replace(/\/\/[^@]*@/, `//${masked}@`);
  const steps = path.slice(scheme.length).split('/').map(maskPart).join('/');
  const search = query.length > 0 ? `?${parameters(query.join('?'))}` : '';
  return maskText(
    origin + steps + search + (fragment.length > 0 ? `#${parameters(fragment.join('#'))}` : ''),
  );
}

/** Deeper levels are left out: the broker accepts 128 levels, of which an event's frame takes ten. */
const deepest = 96;

/** A JSON value, masked in every text, in every name, and under every name of a secret. `mask` does what `maskText` does. */
export function maskJson(value: unknown, mask: (text: string) => string = maskText): unknown {
  return maskValue(value, mask, false, 0);
}

function maskValue(
  value: unknown,
  mask: (text: string) => string,
  isSecret: boolean,
  depth: number,
): unknown {
  if (typeof value === 'string') return isSecret && value !== '' ? masked : mask(value);
  if (typeof value === 'number' || typeof value === 'bigint') return isSecret ? masked : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= deepest) return '[nested too deeply]';
  if (Array.isArray(value)) return value.map((one) => maskValue(one, mask, isSecret, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      mask(name),
      // Lists under a secret's name contain secrets; an object has names of its own.
      maskValue(one, mask, isSecretName(name) && (typeof one !== 'object' || Array.isArray(one)), depth + 1),
    ]),
  );
}
