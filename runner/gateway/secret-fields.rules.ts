/**
 * Secrets that are recognized by the name before them, in text: fields of JSON, also of JSON within strings
 * of JSON, parameters of addresses and forms, lines of environment files, and header lines.
 */
import { maskAssignments } from './secret-assignments.rules.ts';
import { maskPlaces } from './secret-commands.rules.ts';
import { masked } from './secret-forms.rules.ts';
import { isSecretName, isSecretParameter } from './secret-names.rules.ts';
import { maskSentences } from './secret-sentences.rules.ts';
import { maskSettings } from './secret-settings.rules.ts';
import { isStandIn } from './secret-values.rules.ts';

/** JSON in a string in a string …: each level doubles the backslashes before a quote, and adds one. */
const jsonField =
  /"([A-Za-z0-9_.\- ]{1,128})(\\{0,31})"\s{0,16}:\s{0,16}(?:\\{0,31}"|(-?\d[\d.eE+-]{0,64}))/g;

/** Returns in how many strings a quote is that has so many backslashes. */
function levelOf(backslashes: number): number {
  let level = 0;
  for (let rest = backslashes; rest % 2 === 1; rest = (rest - 1) / 2) level += 1;
  return level;
}

/**
 * Returns where a text of this level ends: before the backslashes that belong to its closing quote, or to
 * that of an enclosing text.
 */
function endOfString(text: string, from: number, level: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (at - backslashes > from && text[at - backslashes - 1] === '\\') backslashes += 1;
    const closed = levelOf(backslashes);
    if (closed <= level) return at - (2 ** closed - 1);
  }
  return text.length;
}

function maskJsonFields(text: string): string {
  jsonField.lastIndex = 0;
  let out = '';
  let from = 0;
  for (let field = jsonField.exec(text); field !== null; field = jsonField.exec(text)) {
    const [, name = '', backslashes = '', number] = field;
    if (!isSecretName(name)) continue;
    const valueAt = jsonField.lastIndex - (number?.length ?? 0);
    const end =
      number === undefined ? endOfString(text, valueAt, levelOf(backslashes.length)) : jsonField.lastIndex;
    if (end > valueAt && !isLabel(name, text.slice(valueAt, end))) {
      const quote = number === undefined ? '' : `${backslashes}"`;
      out += text.slice(from, valueAt) + quote + masked + quote;
      from = end;
    }
    jsonField.lastIndex = end;
  }
  return from === 0 ? text : out + text.slice(from);
}

/** The words beside a field, a type, a placeholder, or the range of versions of a package. */
const isLabel = (name: string, value: string): boolean =>
  isStandIn(value) ||
  // A program makes tokens, and never a single word.
  (!/pass|pwd|secret/i.test(name) && /^\p{Lu}\p{Ll}{2,20}$/u.test(value)) ||
  /^(?:string|text|required|passwor[dt]|kennwort|contrase.a|mot de passe|wachtwoord|senha|has.o)$/i.test(
    value,
  ) ||
  (/^\p{Lu}\p{L}+(?: [\p{L}'’]+)*[.!?:]?$/u.test(value) && (name.includes('.') || value.includes(' '))) ||
  (/^[\^~<>=]{0,2}\d+(?:\s?\|\|\s?[\^~]?\d+)*$/.test(value.replaceAll('^', '')) && value.includes('^'));

/** `?token=` and `&key=` in addresses and forms. The value is read only after a secret's name. */
const parameter = /[?&#]([A-Za-z0-9_.%[\]-]{1,128})=/g;
const parameterValue = /[^&\s"'`<>#\\;]{1,8192}/y;

function maskParameters(text: string): string {
  parameter.lastIndex = 0;
  let out = '';
  let from = 0;
  for (let found = parameter.exec(text); found !== null; found = parameter.exec(text)) {
    if (!isSecretParameter(found[1] ?? '')) continue;
    parameterValue.lastIndex = parameter.lastIndex;
    const value = parameterValue.exec(text)?.[0];
    if (value === undefined || isStandIn(value)) continue;
    out += text.slice(from, parameter.lastIndex) + masked;
    from = parameter.lastIndex + value.length;
    parameter.lastIndex = from;
  }
  return from === 0 ? text : out + text.slice(from);
}

const credentials =
  /\b((?:proxy-)?authorization\s{0,4}:\s{0,4}(?:bearer|basic|token|negotiate|apikey|key|ssws|digest|aws4-hmac-sha256)\s{1,4})[^\r\n"'\\]{1,8192}/gi;
const digest =
  /\b((?:proxy-)?authorization\s{0,4}:\s{0,4}(?:digest|signature|oauth|token|aws4-hmac-sha256|hawk)\s{1,4})(?:[\w-]{1,32}=(?:\\{0,7}"[^"\\\r\n]{0,512}\\{0,7}"|[^\s",\\]{1,512}),?\s{0,8}){1,32}/gi;
/** Without a scheme: one long word, or the only one. Prose may also have a colon there. */
const loneCredential =
  /\b((?:proxy-)?authorization\s{0,4}:\s{0,4})(?:[^\s"'\\]{16,8192}|[^\s"'\\]{1,15}(?=\s{0,4}(?:$|[\r\n"'\\])))/gi;
const cookies = /\b((?:set-)?cookie\s{0,4}:\s{0,4})(?=[^\s"'\\=;,]{1,128}=[^=>])[^\r\n"'\\]{1,8192}/gi;
/** A cookie of which only the value and its attributes are there. */
const cookieValue =
  /(\b(?!(?:path|domain|max-age|expires|samesite)=)[\w.-]{1,128}=)[^\s"'\\;,]{8,4096}(?=;\s{0,2}(?:path=|domain=|max-age=|expires=|httponly\b|secure\b|samesite=))/gi;
const keyHeader =
  /((?:\b(?:api|access|auth|subscription)-key|-token|-secret)\s{0,4}:\s{0,4})(?!(?:read|write|none)\b|#[0-9a-f]{3,8}\b)[^\s"'\\,;]{1,8192}/gi;

/** Returns the text with the values of named secrets replaced by `[masked]`. */
export function maskFields(text: string): string {
  const shown = (whole: string, name: string): string =>
    isStandIn(whole.slice(name.length)) ? whole : name + masked;
  const headers = maskParameters(maskJsonFields(text))
    .replace(digest, `$1${masked}`)
    .replace(credentials, shown)
    .replace(loneCredential, shown)
    .replace(cookies, shown)
    .replace(cookieValue, shown)
    .replace(keyHeader, shown);
  return maskSentences(maskPlaces(maskAssignments(maskSettings(headers))));
}
