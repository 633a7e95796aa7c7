/**
 * Secrets that are recognized by their form, wherever they are. Every pattern is linear in the text: it can
 * fail only after a limited number of characters, or it consumes what it has read. A form that the end of the
 * text cuts off is masked, too.
 */
export const masked = '[masked]';

/** Prefixes that no other text has, by the characters that follow and by the least number of them. */
const prefixes: readonly [least: number, characters: string, prefixes: string][] = [
  [6, '[A-Za-z0-9_-]', 'sk-(?:ant|proj|svcacct|admin|or|lf)-'],
  [8, '[A-Za-z0-9_-]', 'github_pat_|xox[a-z](?:\\.xox[a-z])?-|xapp-|[sr]k_(?:live|test)_'],
  [12, '[A-Za-z0-9_-]', 'gl(?:pat|ptt|rt|dt|ft|soat|cbt|imt|agent)-'],
  [
    16,
    '[A-Za-z0-9_-]',
    'gh[a-z]_|ya29\\.|hv[sbr]\\.|SG\\.(?:[A-Za-z0-9_-]{16,40}\\.)?|dckr_[a-z]{3}_|GOCSPX-|dp\\.[a-z]{2,8}\\.|1//0|tskey-[a-z]{3,10}-|HRKU-|PMAK-|fig[du]_|sq0[a-z]{3}-|nvapi-|tvly-|lsv2_[a-z]{2}_|tgp_v1_|sb_secret_|CCIP(?:AT|RJ)_|CFPAT-|ops_eyJ|FlyV1 fm\\d_|xkeysib-|mlsn\\.|ATATT3|ATBB|ATCTT3|dt0[a-z]\\d\\d\\.[A-Z0-9]{24}\\.|NR(?:AK|II|RA|BR)-|FLWSECK(?:_TEST)?-',
  ],
  [16, '[0-9A-Z]', 'LTAI'],
  [20, '[A-Za-z0-9+/=_-]', 'gsk_|whsec_|sntry[su]_'],
  [24, '[A-Za-z0-9_.-]', 'shp[a-z]{2}_|lin_(?:api|oauth)_|glsa_|pscale_[a-z]{2,6}_'],
  [30, '[A-Za-z0-9_-]', 'AIza'],
  [
    30,
    '[A-Za-z0-9]',
    'npm_|hf_|r8_|pplx-|xai-|ntn_|secret_(?=[A-Za-z0-9]{43}\\b)|do[opr]_v1_|sbp_|rubygems_',
  ],
  [32, '[a-f0-9]', 'key-|dapi'],
  [40, '[A-Za-z0-9_-]', 'pypi-|AGE-SECRET-KEY-1|svc_'],
  // Joined to a word, `sk-` is a secret only if no words follow: `task-list` is none.
  [20, '[A-Za-z0-9]', 'sk-'],
];
/** These forms may be cut off by the end of the text. */
const cutOff = ['gh[a-z]_[A-Za-z0-9]{4,15}$', 'svc_[A-Za-z0-9_-]{24,39}$'];
const distinct = new RegExp(
  [
    ...prefixes.map(([least, characters, some]) => `(?:${some})${characters}{${least},}`),
    ...cutOff,
    // The secret of a key of AWS is often beside it.
    '(?:AKIA|ASIA)[0-9A-Z]{16,}(?:[\\s"\',:;/|]{1,5}[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+]))?',
    // Hashes of passwords, and extended keys of wallets.
    '\\{(?:S?SHA\\d{0,3}|S?MD5|CRYPT|BCRYPT|PBKDF2[\\w-]{0,12})\\}[A-Za-z0-9+/=$.]{16,256}',
    '[xyz]prv[A-Za-z0-9]{100,}',
    '\\$(?:apr1|2[abxy]|[156y]|argon2[a-z]{1,2}|pbkdf2[a-z0-9-]{0,10}|scrypt)\\$[A-Za-z0-9./+=,$-]{20,256}',
  ].join('|'),
  'g',
);
/** A word ends before it: also after `\n` of a JSON string and `%3D` of an address. */
const wordStart = '(?:(?<![A-Za-z0-9])|(?<=\\\\[nrtbf])|(?<=\\\\u[0-9a-fA-F]{4})|(?<=%[0-9a-fA-F]{2}))';
/** Other texts may have these beginnings within a word. */
const atWordStart = new RegExp(
  `${wordStart}(?:${[
    'sk-[A-Za-z0-9_-]{8,}',
    '(?:EAAA|EZ[AT]K|pul-|jina_|csk-|fw_|phx_|bkua_|PSK-|nfp_|rnd_)[A-Za-z0-9]{20,}',
    're_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}',
    'pat[A-Za-z0-9]{14}\\.[a-f0-9]{64}',
    'SK[a-f0-9]{32}(?![A-Za-z0-9])',
    '[a-f0-9]{32}-us\\d{1,2}(?![A-Za-z0-9])',
    '[a-f0-9]{36}NRAL',
    '[A-Z0-9]{5}(?:-[A-Z0-9]{5}){4}(?![A-Za-z0-9-])',
    '[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_-]{20,}',
  ].join('|')})`,
  'g',
);

/** A prefix as of a vendor's tokens, and behind it many letters in both cases with digits. */
const prefixedToken = new RegExp(
  `(?<![A-Za-z0-9_./+=-])(?!(?:${[
    'sha\\d{1,3}|diff|msg|req|toolu|srvtoolu|call|resp|chatcmpl|run|thread|asst|evt|file|cache|node|cs|rs|fc|pk|pub|id|ref|trace|span',
  ].join(
    '',
  )})[_.-])[a-z][a-z0-9]{1,11}(?:[_.-][a-z0-9]{1,9}){0,3}[_.-]([A-Za-z0-9]{30,})(?![A-Za-z0-9+/=_-])`,
  'g',
);
/** Letters in both cases, and at least three digits. */
export const isMixed = (word: string): boolean =>
  /[a-z]/.test(word) && /[A-Z]/.test(word) && word.replaceAll(/\D/g, '').length >= 3;

const dottedWord = /[A-Za-z0-9_.-]+/y;
const bearer = /\b(bearer(?:\s|%20|\+){1,4})([A-Za-z0-9._~+/=-]{16,})/gi;
/** No token consists of a word, or of words joined by hyphens: `bearer authentication-scheme`. */
const isProse = (word: string): boolean =>
  word.length < 64 && /^[A-Za-z][a-z]{0,19}(?:[-/.][a-z]{1,19}){0,8}[.=]?$/.test(word);
/** `https://somebody:password@host`, except for placeholders and variables. */
const userInfo =
  /(:\/\/[^\s/:@"'\\]{0,128}:)(?!(?:\[masked\]|(?:my|your)?_?(?:[Pp]ass(?:word|wd)?|pwd)|PASS(?:WORD|WD)?|PWD|\*+|[<{[][^\s/@"'\\]{1,64}|\$[\w({][^\s/@"'\\]{0,64})@)[^\s/@"'\\]{1,512}@/g;
/** `https://key@host`: a DSN or an address in which a token is the name. */
const userKey = /(:\/\/)(?=[A-Za-z_-]{0,40}\d)[A-Za-z0-9_-]{20,256}(?=@|:[^\s@/"']{1,256}@)/g;
/** The private values of a JSON Web Key, and the private lines of a PuTTY key. */
const jsonWebKey =
  /(\\{0,7}"(?:d|p|q|dp|dq|qi|k)\\{0,7}"\s{0,4}:\s{0,4}\\{0,7}")[A-Za-z0-9_-]{22,2048}(?=\\{0,7}")/g;
const puttyKey =
  /(Private-Lines:\s{0,4}\d{1,4}(?=[\r\n\\]))(?:(?:\r?\n|(?:\\{1,7}r)?\\{1,7}n)(?!Private)[A-Za-z0-9+/=]{1,128}){1,500}/g;
/** Words from which a wallet can be restored. */
const seedPhrase =
  /(\b(?:seed|recovery|mnemonic|secret|backup|wallet)[ _-]?(?:phrase|words|seed)?\b(?:\sis)?[^a-z]{1,8})[a-z]{3,8}(?:[ ,]{1,2}[a-z]{3,8}){11,23}\b/gi;

/** Codes in groups: the seed of an authenticator, codes for a recovery, and the key of a license. */
const codeGroup = '(?=[A-Z]{4}|[A-Za-z]{0,7}\\d)[A-Za-z0-9]{4,8}';
const groupedCodes = new RegExp(
  `(\\b(?i:(?:backup|recovery|scratch|emergency)[ _-]?codes?|(?:product|licen[sc]e|activation|setup|recovery|2fa|mfa|t?otp)[ _-]?(?:key|secret|seed)|authenticator secret)(?:\\s(?:is|are)\\s|[^\\p{L}\\d\\\\]{1,4}(?:\\\\n)?))((?:${codeGroup}(?:[ ,;-]{1,2}|(?:\\n|\\\\n)[ *-]{0,4})){1,64}${codeGroup}|[A-Z2-7]{16,64})(?![A-Za-z0-9])`,
  'gu',
);

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
 * Masks signed tokens and the rest of the same word. Each word is measured once, and each of its parts is checked
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

const pemBegin =
  /----(?:-| )BEGIN(?:[A-Z0-9 +]|%20){0,60}PRIVATE(?:[ +]|%20)KEY(?:(?:[ +]|%20)BLOCK)?(?:-| )----/g;
const pemEnd =
  /----(?:-| )END(?:[A-Z0-9 +]|%20){0,60}PRIVATE(?:[ +]|%20)KEY(?:(?:[ +]|%20)BLOCK)?(?:-| )----/g;
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
  maskSignedTokens(maskPem(text)).replace(distinct, masked).replace(atWordStart, masked);

/** Returns the text with every known form replaced by `[masked]`. */
export function maskForms(text: string): string {
  return maskKeys(text)
    .replace(bearer, (whole, scheme, word) => (isProse(word) ? whole : scheme + masked))
    .replace(prefixedToken, (whole, word) => (isMixed(word) ? masked : whole))
    .replace(userInfo, `$1${masked}@`)
    .replace(userKey, `$1${masked}`)
    .replace(jsonWebKey, `$1${masked}`)
    .replace(puttyKey, `$1 ${masked}`)
    .replace(seedPhrase, `$1${masked}`)
    .replace(groupedCodes, (whole, name, codes) => (/\d/.test(codes) ? name + masked : whole))
    .replace(slackAddress, `$1${masked}`)
    .replace(discordAddress, `$1${masked}`)
    .replace(telegramToken, masked);
}
