/**
 * Whether what follows a secret's name is a secret, or code, a reference, a placeholder, or prose. Pure. Every
 * pattern is linear in the value, and only its beginning is judged.
 */
import { isSecretName } from './secret-names.rules.ts';

/** How a value is written. `variable`: after `NAME=`, as in a shell or an environment file. */
export type ValueForm = 'bare' | 'quoted' | 'variable';

/** The kind of secret that the value would be: people choose a password, and programs make a token. */
export type SecretKind = 'chosen' | 'made';

const judgedCharacters = 256;

/** Of a template, a variable, a command, a tag, or a type. */
const reference =
  /^\\?(?:[$%@&*]?\$?[({[<]|\$(?:env:)?[A-Za-z_0-9]+$|\$[A-Za-z_]\w*\[|%[A-Za-z_]\w*%$|[@&*?]\w*$|!|\||:)|\$\{|\{\{|#\{|<%/;
/** Within quotes, a sign at the beginning is only a sign. */
const quotedReference =
  /^(?:[$%@]?[({[<]|\$[A-Za-z_0-9]+$|\$[A-Za-z_]\w*\[|%[A-Za-z_]\w*%$)|\$\{|\{\{|#\{|<%/;
/** `$TOKEN`, `${token}`, `<token>`: the secret itself is elsewhere. */
export const isReference = (value: string): boolean => reference.test(value.slice(0, judgedCharacters));

const call = /^[A-Za-z_$][\w$.:?>-]*[([]/;
const path = /^(?:~|\.{1,2})?(?:\/[A-Za-z_.-]+)+$|^[a-z][a-z0-9+.-]{1,31}:\/\//;
const mask = /^\[?[*xX.•…#_-]+\]?[^\w]{0,4}$|^\[(?:masked|redacted|hidden|filtered|secret)\]/i;
const placeholder =
  /^(?:my[-_](?:secret|password|token|api)|your|example|dummy|placeholder|insert|enter|replace)(?:[-_ .]|$)/i;
/** Letters, also in several words: a name, a type, or a sentence. */
const words = /^[\p{L}_.,'’!?:/|\s-]*$/u;
/** `process.env.KEY2`, `config::token`, `self->secret`. */
const chain = /^[A-Za-z_$][A-Za-z_$]*\d{0,2}(?:(?:\.|::|->|\?\.)[A-Za-z_$]+\d{0,2})+$/;
/** Two words that a dot joins are a password if neither occurs in programs: `this.password`, `login.title`. */
const dotted = /^[A-Za-z]{4,16}\.[A-Za-z]{4,16}$/;
const dottedName =
  /pass|auth|login|user|form|field|label|error|page|account|setting|config|secret|token|common|hint|title|text|message|valid|props|self|this|data|body|input|value|param|query|json|yaml|session|process|local|public|import|default|state|service|client|server|com$/i;
/** `app-secrets-v2`, `token_12`. */
const slug =
  /^(?:[a-z]{1,20}(?:\d{1,2}[a-z]{0,4})?|\d{1,4})(?:[-_.](?:[a-z]{1,20}(?:\d{1,2}[a-z]{0,4})?|\d{1,4}))*$/;
/** `^7.0.4` of a dependency. */
const version = /^[\^~<>=v]{1,2}\s?\d{1,5}(?:\.\d{1,5}){1,2}(?:$|[\s-])/;
const time = /^\d{1,4}(?:[-:.]\d{1,4})+(?:T|$)/;

/** `Base64urlUInt`, `LegacyCredentials`: words joined as in a program. */
const identifier =
  /^[A-Za-z][a-z]{1,20}(?:\d{1,2}[a-z]{0,8})?(?:[A-Z]{1,3}[a-z]{1,20}(?:\d{1,2}[a-z]{0,8})?){1,8}$/;

export const isIdentifier = (value: string): boolean => identifier.test(value);

/** Types, and what settings have instead of a secret. */
export const noSecret =
  /^(?:true|false|yes|no|on|off|null|nil|none|undefined|str|string|text|bytes?|binary|int|integer|number|bool|boolean|uuid|any|unknown|object|array|varchar|char|required|optional|enabled|disabled|strict|basic|default|inherit|hidden|masked|file|env|vault|auto|prompt|ask|never|always|generated|random|plain|hashed|encrypted|jwt|bearer|oauth|password|passwort|contrase.a|wachtwoord|senha|self|missing|invalid|empty|unset|not)\b/i;

export const prose =
  /\b(?:is|are|must|should|the|a|an|your|to|of|for|with|and|or|not|in|at|least|if|that|has|have|be|this|by|from|required|characters|wrong|invalid|field|reset|every|day)\b/i;

const hasDigit = (text: string): boolean => /\d/.test(text);
const hasLetter = (text: string): boolean => /[A-Za-z]/.test(text);

/** A word that a program made: long, and of letters and digits, or of letters in both cases. */
export function isRandomWord(value: string, least = 8): boolean {
  if (value.length < least || /\s/.test(value) || !hasLetter(value) || identifier.test(value)) return false;
  if (hasDigit(value)) return !slug.test(value) && !chain.test(value) && !time.test(value);
  return value.length >= 20 && /^[A-Za-z0-9+/=_-]+$/.test(value) && /[a-z][A-Z]+[a-z]+[A-Z]/.test(value);
}

function isChosenWord(value: string, form: ValueForm): boolean {
  if (value.length < 3) return false;
  if (form === 'bare') {
    if (value.length < 4 || chain.test(value) || time.test(value)) return false;
    return hasDigit(value)
      ? hasLetter(value) || /\d{4}/.test(value)
      : /[^\p{L}\p{N}_.,:;/'()[\]{}…-]/u.test(value);
  }
  if (dotted.test(value)) return !dottedName.test(value);
  if (!words.test(value)) return !/^[A-Z][a-z]+(?: (?:[A-Za-z]+|\d+))+[.!]?$/.test(value);
  return !/[\s.]|^pass/i.test(value) && !isSecretName(value);
}

/** A reference, a mask, or a placeholder, but no secret. */
export const isStandIn = (value: string): boolean =>
  isReference(value) || mask.test(value) || placeholder.test(value) || version.test(value);

/** @param whole without its quotes */
export function isLikelySecret(whole: string, kind: SecretKind, form: ValueForm): boolean {
  const value = whole.slice(0, judgedCharacters);
  if (
    (form === 'quoted' ? quotedReference : reference).test(value) ||
    mask.test(value) ||
    placeholder.test(value) ||
    path.test(value)
  )
    return false;
  if (form !== 'quoted' && call.test(value)) return false;
  if (form === 'variable') return !isLiteralWord(value) && !chain.test(value) && /[^\s]{3}/.test(value);
  return kind === 'chosen' ? isChosenWord(value, form) : isRandomWord(value);
}

/** Returns whether the value is a word that a setting has instead of a secret. */
const isLiteralWord = (value: string): boolean =>
  /^(?:true|false|null|none|nil|undefined|yes|no|on|off|string|required|\d{1,5})$/i.test(value) ||
  (words.test(value) && isSecretName(value));
