/**
 * Secrets that are recognized by the name before them in everyday text: `name = value`, `name: value`,
 * `'name' => 'value'`, `<name>value`, `NAME=value`, and a name and a value in two fields. A value that is only code,
 * a reference, or prose stays. Takes time in proportion to the text.
 */
import { masked } from './secret-forms.rules.ts';
import { isSecretName } from './secret-names.rules.ts';
import {
  isLikelySecret,
  isRandomWord,
  isStandIn,
  noSecret,
  prose,
  type SecretKind,
  type ValueForm,
} from './secret-values.rules.ts';

/** The last word of a name, what closes it, and what connects it with its value. */
const connected = new RegExp(
  [
    '(token|bearer|passw(?:or)?[dt]s?|kennwort|wachtwoord|senha|pass(?:phrase|code)?|pwd?|psk|pin|mnemonic|secrets?|keys?|credentials?|cookies?|jwt|kek|auth|code|session|base)',
    '([\\])"\'`\\\\]{0,8})',
    '(',
    [
      // The value is in a field of its own: `name: TOKEN`, then `value: …`.
      '(?:[\\s,]|\\\\n){1,32}\\\\{0,7}["\']?value\\\\{0,7}["\']?\\s{0,8}[:=]\\s{0,8}',
      // Attributes of an element of XML.
      '(?:\\s{1,4}[\\w:.-]{1,64}=\\\\{0,7}["\'][^"\'<>\\\\]{0,128}\\\\{0,7}["\']){1,4}\\s{0,4}>',
      // A comparison, or what counts if there is no value.
      '\\s{0,4}(?:[=!]==?|\\?\\?=?|\\|\\|=?|\\?:|:-|\\bor\\b|,\\s{0,4}default(?:_?[Vv]alue)?\\s?[:=])\\s{0,4}',
      '\\.(?:equals(?:IgnoreCase)?|unwrap_or(?:_else)?|orElse|getOrElse|get_or_insert|type|fill|send_?[kK]eys|set_?[vV]alue)\\((?:\\|_?\\|\\s?)?',
      '(?:%22)?(?:%3A|%3D)(?:%22)?|&quot;\\s?:\\s?&quot;',
      '\\s{0,4}:\\s{0,4}\\{\\s{0,8}\\\\{0,7}"value\\\\{0,7}"\\s{0,4}:\\s{0,4}',
      '\\s{0,4}:?=\\s{0,4}(?:String::from|(?:new\\s)?SecureString|\\[\\]byte|Buffer\\.from|SecretStr|Some|bytes)\\((?=[\\\\"\'b])',
      // A declaration with a type, and an argument of a call.
      '(?:\\s?:\\s?&?[A-Za-z]{2,16}\\??|\\s[sS]tring)\\s?=\\s?(?=[\\\\"\'`])',
      '\\(\\s{0,4}(?=\\\\{0,7}["\'`])',
      '\\s{0,16}(?::=|=>|[:=>,])\\s{0,16}',
      '\\s(?:is|was)\\s{1,4}',
      '[ \\t]{1,8}(?=\\\\{0,7}["\'])',
      '\\s{1,8}(?=[^\\s]{16})',
    ].join('|'),
    ')',
  ].join(''),
  'gi',
);

const maxNameCharacters = 128;
/** Longer ones are recognized by their form. */
const maxQuotedCharacters = 2048;
/** So much is judged; the rest of the word is masked with it. */
const maxJudgedCharacters = 256;
const bareValue = new RegExp(`[^\\s"'\`<>\\\\,;]{1,${maxJudgedCharacters}}`, 'y');
const restOfValue = /[^\s"'`<>\\,;&]{1,8192}/y;
const opening = /[@fbruFBRUN]?(\\{0,31}["'`])/y;

const isNameSign = (code: number): boolean =>
  (code >= 48 && code <= 57) ||
  (code >= 65 && code <= 90) ||
  (code >= 97 && code <= 122) ||
  code === 95 ||
  code === 45 ||
  code === 46;

/** Returns where the name begins whose last word begins at `at`. */
function startOfName(text: string, at: number): number {
  let from = at;
  while (from > 0 && at - from < maxNameCharacters && isNameSign(text.charCodeAt(from - 1))) from -= 1;
  // The letter of `\n` in JSON is not part of the name.
  return from > 0 && from < at && text[from - 1] === '\\' ? from + 1 : from;
}

/** `setup key` is a name of two words. */
function startOfPhrase(text: string, from: number): number {
  return from > 1 && text[from - 1] === ' ' && isNameSign(text.charCodeAt(from - 2))
    ? startOfName(text, from - 1)
    : from;
}

/** These count only here, because as fields of JSON they are often counts and folders. */
const shortName = /(?:^|[_.-])(?:pass|pwd?|psk|pin|mnemonic)$|[a-z](?:Pass|Pwd|Psk)$|^_?auth$/i;
const chosenName = /pass[a-z]*$|pwd?$|psk$|pin$|mnemonic$|(?:^|[_.a-z-])secret(?:_?key)?$/i;

/** `AES_KEY`: a secret if its value is random. */
const isVariableKey = (name: string): boolean =>
  /(?:^|[_-])KEY$/.test(name) &&
  !/(?:PUBLIC|CACHE|PRIMARY|FOREIGN|SORT|PARTITION|STORAGE|IDEMPOTENCY|ROUTING|ANON|OBJECT|REGISTRY)[_-]KEY$/.test(
    name,
  );

function isNamedSecret(text: string, from: number, end: number): boolean {
  const name = text.slice(from, end);
  if (isSecretName(name) || shortName.test(name)) return true;
  if (isVariableKey(name)) return true;
  return /^(?:keys?|code)$/i.test(name) && isSecretName(text.slice(startOfPhrase(text, from), end));
}

interface Value {
  at: number;
  end: number;
  quote: string;
}

/** Returns where the quoted text ends that begins at `at`; -1 if it does not end in its line. */
function endOfQuoted(text: string, at: number, quote: string): number {
  const sign = quote.charCodeAt(quote.length - 1);
  const last = Math.min(text.length, at + maxQuotedCharacters);
  let backslashes = 0;
  for (let end = at; end < last; end += 1) {
    const code = text.charCodeAt(end);
    if (code === 10) return -1;
    if (code === sign && backslashes < quote.length) return end - backslashes;
    backslashes = code === 92 ? backslashes + 1 : 0;
  }
  return -1;
}

/** The text of an element of XML, and a block of YAML below its name. */
const element = /(?:<!\[CDATA\[([^\]]{1,2048})\]\]>|([^<>"\\\r\n]{1,512}))(?=<\/)/y;
const block = /[>|][+-]?\d?\s{0,4}?(?:\r?\n|\\{1,7}n)( {1,40})(?=[^\s\\])/y;
const blockLine = /[^\r\n\\"]{1,2048}/y;
/** An option that takes `name=value`: `--set`, `-e`, and `--from-literal=`; or the name is the option itself. */
const optionBefore =
  /(?:\s--?[A-Za-z][\w-]{0,30}(?:\s|=)|\s-[A-Z]|\bkv put \S{1,128}\s|\s\/p:|\b(?:http|https|xh) (?:POST|PUT|PATCH|GET) [^\n]{1,100}\s)\\{0,7}["']?(?:[\w.-]{1,64}=[^\s,]{0,64},)?$/;

function elementAt(text: string, at: number): Value | null {
  element.lastIndex = at;
  const found = element.exec(text);
  if (found === null) return null;
  const from = found[1] === undefined ? at : at + '<![CDATA['.length;
  return { at: from, end: from + (found[1] ?? found[2] ?? '').length, quote: '<' };
}

function blockAt(text: string, at: number): Value | null {
  block.lastIndex = at;
  const indent = block.exec(text)?.[1];
  if (indent === undefined) return null;
  const from = block.lastIndex;
  let end = from;
  for (let next = from; next - from < maxQuotedCharacters; ) {
    blockLine.lastIndex = next;
    if (!blockLine.test(text)) break;
    end = blockLine.lastIndex;
    const lineBreak = /(?:\r?\n|\\{1,7}n)/y;
    lineBreak.lastIndex = end;
    if (!lineBreak.test(text) || !text.startsWith(indent, lineBreak.lastIndex)) break;
    next = lineBreak.lastIndex + indent.length;
  }
  return end > from ? { at: from, end, quote: '|' } : null;
}

function valueAt(text: string, at: number): Value | null {
  const inBlock = blockAt(text, at);
  if (inBlock !== null) return inBlock;
  opening.lastIndex = at;
  const quote = opening.exec(text)?.[1];
  if (quote !== undefined) {
    const from = opening.lastIndex;
    const end = endOfQuoted(text, from, quote);
    if (end >= 0) return end > from ? { at: from, end, quote } : null;
  }
  const from = quote === undefined ? at : opening.lastIndex;
  bareValue.lastIndex = from;
  const value = bareValue.exec(text)?.[0].replace(/[)\]}.]{1,8}$/, '') ?? '';
  return value === '' ? null : { at: from, end: from + value.length, quote: '' };
}

const isOneWord = (value: string): boolean => /^[A-Za-z0-9_+/=.-]+$/.test(value) && /\d/.test(value);

interface Named {
  text: string;
  from: number;
  end: number;
  connection: string;
}

/** Whether other parameters are before or after in the same line: `a=b;`, `a=b&`, or `a=b ` without a comma. */
const isInList = (text: string, from: number, end: number): boolean =>
  /[;?&]\s?$|\b[\w.-]{1,32}=[^\s,(]{1,64}\s$/.test(text.slice(Math.max(0, from - 100), from)) ||
  /^(?:[;&]|\s{1,2})[\w. -]{1,32}=[^=\s]/.test(text.slice(end, end + 40));

/** The name of a property in a file, and the fields before one in the string of a connection. */
const property = /^[a-z]\w*(?:\.[\w-]+){2,}$/;
const inConnectionString =
  /\b(?:server|database|data source|user ?id|uid|host)=[^;\s"']{1,64};(?:[\w ]{1,32}=[^;"'\n]{0,64};)*\s?$/i;

function formOf({ text, from, end, connection }: Named, { quote, end: next }: Value): ValueForm {
  const name = text.slice(from, end);
  if (/^[A-Z][A-Z0-9_]*$/.test(name) && /value/.test(connection)) return 'variable';
  if (text.startsWith('${', from - 2) || /^[%&]/.test(connection)) return 'variable';
  // No program computes the values of these.
  if (
    connection === '=' &&
    (property.test(name) || inConnectionString.test(text.slice(Math.max(0, from - 128), from)))
  )
    return 'quoted';
  if (connection === '=' && (/^-/.test(name) || isInList(text, from, next))) return 'variable';
  const isOption = connection === '=' && optionBefore.test(text.slice(Math.max(0, from - 128), from));
  if (isOption || connection === ':-') return 'variable';
  if (connection.trim() === '=' && !quote.endsWith('`') && /^[A-Z][A-Z0-9_]*$/.test(text.slice(from, end)))
    return 'variable';
  return quote === '' ? 'bare' : 'quoted';
}

/** Whether `<name>` or `<prefix:name>` begins there. */
const isElement = (text: string, from: number): boolean =>
  text[from - 1] === '<' || /<[\w-]{1,64}:$/.test(text.slice(Math.max(0, from - 66), from));

const setter = /^(?:[\w.]{0,64}\.)?(?:set|with)?_?(?:db|user|admin|root)?_?pass(?:word|wd|phrase)$/i;
const getter =
  /(?:get\w*|append|set\w*|fill|type|put|add|String|fetch|env|option)\(\s?\\{0,7}["'][#.]?(?:[\w-]+[.=[])*$/;
/** A word in quotes that is no label. */
const isPlainSecret = (shown: string, kind: SecretKind): boolean =>
  isLikelySecret(shown, kind, 'quoted') && !/\s|^[A-Z][a-z]+$/.test(shown);

const isPassphrase = (shown: string): boolean =>
  /^\p{Ll}+(?: \p{Ll}+){1,7}$/u.test(shown) && !prose.test(shown) && !noSecret.test(shown);

const isCompared = (sign: string): boolean => /^[=!]==?$|^\.equals/.test(sign);

function isSecret(named: Named, value: Value): boolean {
  const { text, from, end, connection } = named;
  const name = text.slice(from, end);
  const shown = text.slice(value.at, value.end);
  const kind: SecretKind = chosenName.test(name) ? 'chosen' : 'made';
  const sign = connection.trim();
  const isFallback = sign === ',' && getter.test(text.slice(Math.max(0, from - 64), from));
  if (isVariableKey(name) && !isSecretName(name)) {
    return (
      (sign !== ',' || isFallback) &&
      isLikelySecret(shown, 'made', 'bare') &&
      isRandomWord(shown, 16) &&
      isOneWord(shown)
    );
  }
  if (kind === 'chosen' && value.quote !== '' && /^\.(?:fill|type|send)/.test(sign)) return !isStandIn(shown);
  if (value.quote === '<')
    return kind === 'chosen' ? !isStandIn(shown) : isLikelySecret(shown, 'made', 'quoted');
  if (value.quote === '|') return kind === 'chosen' && !isStandIn(shown);
  if (sign.endsWith('>') && sign !== '=>' && sign !== '>') return false;
  if (sign === '>' && !isElement(text, from)) return false;
  if (/^[,=!?|.o]/.test(sign) && sign.length !== 1 && sign !== '=>' && value.quote === '') return false;
  if (sign === ',' && value.quote === '') return false;
  if (sign === 'or') return !shortName.test(name) && isLikelySecret(shown, kind, 'bare');
  if (sign === '' && /^pass$/i.test(name)) return false;
  if (sign === '(') return setter.test(name) && isPlainSecret(shown, kind);
  if (sign === '' && value.quote !== '') return /^[A-Z][A-Z0-9_]*$/.test(name) && isPlainSecret(shown, kind);
  if (isFallback && kind === 'chosen') return isPlainSecret(shown, kind);
  if (kind === 'chosen' && /^(?:=|\|\||\?\?|\?:)$/.test(sign) && value.quote !== '' && isPassphrase(shown))
    return true;
  if (sign === '=' && value.quote === '' && connection.includes('\n')) return false;
  if (isCompared(sign) && kind === 'chosen' && /^\p{L}+(?: \p{L}+)+$/u.test(shown)) return true;
  if (sign === ',' && kind === 'chosen' && /^[A-Z][A-Z0-9_]*$/.test(name)) return isPlainSecret(shown, kind);
  if (sign === '' || sign === ',' || /^_?auth$/i.test(name))
    return (
      isLikelySecret(shown, 'made', 'quoted') &&
      isRandomWord(shown, sign === ',' ? 8 : 16) &&
      (sign === ',' || isOneWord(shown))
    );
  if (/^pwd$/i.test(name) && shown.startsWith('/')) return false;
  if (/^pass$/i.test(name) && /^\d+$/.test(shown)) return false;
  if (sign === 'is' || sign === 'was') return value.quote !== '' && isLikelySecret(shown, kind, 'bare');
  return isLikelySecret(shown, kind, formOf(named, value));
}

/** A parameter of an address ends at the next one; a text in a program does not. */
function withinForm({ connection }: Named, value: Value, text: string): Value {
  if (/^[%&]/.test(connection)) {
    const last = /%2[26]|&/.exec(text.slice(value.at, value.end))?.index ?? 0;
    return last > 0 ? { ...value, end: value.at + last } : value;
  }
  if (connection !== '=' || value.quote !== '') return value;
  const next = text.slice(value.at, value.end).search(/&(?:amp;)?(?:[\w.%[\]-]{1,64}=|$)/);
  return next > 0 ? { ...value, end: value.at + next } : value;
}

/** Returns where a word ends of which only the beginning was read. */
function endOfWord(text: string, { at, end, quote }: Value): number {
  if (quote !== '' || end - at < maxJudgedCharacters) return end;
  restOfValue.lastIndex = end;
  return restOfValue.test(text) ? restOfValue.lastIndex : end;
}

/** Returns the text with the values of named secrets replaced by `[masked]`. */
export function maskAssignments(text: string): string {
  connected.lastIndex = 0;
  let out = '';
  let done = 0;
  for (let found = connected.exec(text); found !== null; found = connected.exec(text)) {
    const [, word = '', closing = '', connection = ''] = found;
    const end = found.index + word.length;
    const next = end + closing.length + connection.length;
    connected.lastIndex = end;
    const from = startOfName(text, found.index);
    if (!isNamedSecret(text, from, end)) continue;
    const named = { text, from, end, connection };
    const isInElement = connection.trimEnd().endsWith('>') && isElement(text, from);
    const read = (isInElement ? elementAt(text, next) : null) ?? valueAt(text, next);
    if (read === null) continue;
    const value = withinForm(named, read, text);
    if (!isSecret(named, value)) continue;
    out += text.slice(done, value.at) + masked;
    done = endOfWord(text, value);
    connected.lastIndex = done;
  }
  return done === 0 ? text : out + text.slice(done);
}
