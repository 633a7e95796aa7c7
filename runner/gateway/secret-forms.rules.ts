/**
 * Secrets that are recognized by their form, wherever they are. Every pattern is linear in the text: it can
 * fail only after a limited number of characters, or it consumes what it has read. A form that the end of the
 * text cuts off is masked, too.
 */
export const masked = '[masked]';

/** None of these needs to begin at a word, because no other text has such a beginning. */
const distinct = new RegExp(
  [
    'gh[a-z]_[A-Za-z0-9]{16,}',
    'gh[a-z]_[A-Za-z0-9]{4,15}$',
    'github_pat_[A-Za-z0-9_]{8,}',
    'glpat-[A-Za-z0-9_-]{12,}',
    'xox[a-z]-[A-Za-z0-9-]{8,}',
    'xapp-[A-Za-z0-9-]{8,}',
    '(?:AKIA|ASIA)[0-9A-Z]{16,}',
    'AIza[0-9A-Za-z_-]{30,}',
    'svc_[A-Za-z0-9_-]{43,}',
    'svc_[A-Za-z0-9_-]{24,42}$',
    'sk-(?:ant|proj|svcacct|admin|or|lf)-[A-Za-z0-9_-]{6,}',
    '[sr]k_(?:live|test)_[A-Za-z0-9]{8,}',
    'npm_[A-Za-z0-9]{30,}',
    'hf_[A-Za-z0-9]{30,}',
    'ya29\\.[A-Za-z0-9_-]{16,}',
    'hv[sbr]\\.[A-Za-z0-9_-]{16,}',
    'SG\\.[A-Za-z0-9_-]{16,}(?:\\.[A-Za-z0-9_-]{16,})?',
    'gsk_[A-Za-z0-9]{20,}',
    'xai-[A-Za-z0-9]{40,}',
    'pplx-[A-Za-z0-9]{32,}',
    'r8_[A-Za-z0-9]{30,}',
    'dckr_[a-z]{3}_[A-Za-z0-9_-]{16,}',
    'GOCSPX-[A-Za-z0-9_-]{16,}',
    'do[opr]_v1_[a-f0-9]{32,}',
    'key-[a-f0-9]{32}',
    'shp[a-z]{2}_[a-fA-F0-9]{24,}',
    'lin_(?:api|oauth)_[A-Za-z0-9]{24,}',
    'glsa_[A-Za-z0-9]{24,}(?:_[a-f0-9]{8})?',
    'sntry[su]_[A-Za-z0-9_+/=-]{32,}',
    'sbp_[a-f0-9]{32,}',
    'pscale_[a-z]{2,6}_[A-Za-z0-9_.-]{24,}',
    'dapi[a-f0-9]{32}',
    'rubygems_[a-f0-9]{32,}',
    'pypi-[A-Za-z0-9_-]{48,}',
    'AGE-SECRET-KEY-1[A-Z0-9]{40,}',
    'whsec_[A-Za-z0-9+/=]{20,}',
    // Joined to a word, `sk-` is a secret only if no words follow: `task-list` is none.
    'sk-[A-Za-z0-9]{20,}',
  ].join('|'),
  'g',
);
/** A word ends before it: also after `\n` of a JSON string and `%3D` of an address. */
const wordStart = '(?:(?<![A-Za-z0-9])|(?<=\\\\[nrtbf])|(?<=\\\\u[0-9a-fA-F]{4})|(?<=%[0-9a-fA-F]{2}))';
const plainKey = new RegExp(`${wordStart}sk-[A-Za-z0-9_-]{8,}`, 'g');

const dottedWord = /[A-Za-z0-9_.-]+/y;
const bearer = /\b(bearer(?:\s|%20|\+){1,4})([A-Za-z0-9._~+/=-]{16,})/gi;
/** No token consists of a word, or of words joined by hyphens: `bearer authentication-scheme`. */
const isProse = (word: string): boolean =>
  word.length < 64 && /^[A-Za-z][a-z]{0,19}(?:[-/.][a-z]{1,19}){0,8}[.=]?$/.test(word);
/** `https://somebody:password@host`. */
const userInfo = /(:\/\/[^\s/:@"'\\]{0,128}:)(?!\[masked\]@)[^\s/@"'\\]{1,512}@/g;

/**
 * Whether a word that begins with `eyJ` is a signed or encrypted token: header, payload, and signature in
 * base64url.
 */
function isSignedToken(word: string): boolean {
  const [header = '', payload, signature] = word.split('.', 3);
  if (header.length < 16 || payload === undefined) return false;
  // The second part of an encrypted one may be empty; then a longer part follows.
  return payload.length >= 6 || (signature?.length ?? 0) >= 6;
}

/**
 * What follows in the same word is masked, too. Each word is measured once, and each of its parts is checked
 * once.
 */
function maskSignedTokens(text: string): string {
  let out = '';
  let from = 0;
  let end = 0;
  for (let at = text.indexOf('eyJ'); at >= 0; ) {
    if (at >= end) {
      dottedWord.lastIndex = at;
      dottedWord.exec(text);
      end = dottedWord.lastIndex;
    }
    const word = text.slice(at, end);
    const dot = word.indexOf('.');
    let next = dot < 0 ? end : at + dot;
    if (isSignedToken(word)) {
      out += text.slice(from, at) + masked;
      from = end;
      next = end;
    }
    at = text.indexOf('eyJ', next);
  }
  return from === 0 ? text : out + text.slice(from);
}

const pemBegin = /-----BEGIN(?:[A-Z0-9 +]|%20){0,60}PRIVATE(?:[ +]|%20)KEY(?:(?:[ +]|%20)BLOCK)?-----/g;
const pemEnd = /-----END(?:[A-Z0-9 +]|%20){0,60}PRIVATE(?:[ +]|%20)KEY(?:(?:[ +]|%20)BLOCK)?-----/g;
/** Longer than any key; a text that contains both lines that far apart is not a key. */
const maxPemCharacters = 64 * 1024;
const pemBody = /[A-Za-z0-9+/=\s\\%:,-]*/y;

function maskPem(text: string): string {
  pemBegin.lastIndex = 0;
  let out = '';
  let from = 0;
  let end: { at: number; after: number } | null = null;
  for (let begin = pemBegin.exec(text); begin !== null; begin = pemBegin.exec(text)) {
    const body = begin.index + begin[0].length;
    // Searched at most once per position, so that many beginnings without an end stay linear.
    if (end === null || end.at < body) {
      pemEnd.lastIndex = body;
      const found = pemEnd.exec(text);
      end =
        found === null
          ? { at: Number.POSITIVE_INFINITY, after: 0 }
          : { at: found.index, after: pemEnd.lastIndex };
    }
    let after = end.after;
    if (end.at - body > maxPemCharacters) {
      pemBody.lastIndex = body;
      pemBody.exec(text);
      after = Math.max(pemBody.lastIndex, body);
    }
    out += text.slice(from, begin.index) + masked;
    from = after;
    pemBegin.lastIndex = after;
  }
  return from === 0 ? text : out + text.slice(from);
}

/** Addresses that are secrets: whoever has one can post there. */
const slackAddress = /(hooks\.slack\.com\/(?:services|workflows|triggers)\/)[A-Za-z0-9_/-]{20,}/g;
const discordAddress = /(\/api\/webhooks\/)\d{15,20}\/[A-Za-z0-9_-]{40,}/g;
const telegramToken = /(?<!\d)\d{8,10}:AA[A-Za-z0-9_-]{32,}/g;

/** Returns the text with every unmistakable form replaced. */
export const maskKeys = (text: string): string =>
  maskSignedTokens(maskPem(text)).replace(distinct, masked).replace(plainKey, masked);

/** Returns the text with every known form replaced by `[masked]`. */
export function maskForms(text: string): string {
  return maskKeys(text)
    .replace(bearer, (whole, scheme, word) => (isProse(word) ? whole : scheme + masked))
    .replace(userInfo, `$1${masked}@`)
    .replace(slackAddress, `$1${masked}`)
    .replace(discordAddress, `$1${masked}`)
    .replace(telegramToken, masked);
}
