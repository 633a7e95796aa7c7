/**
 * Secrets that sentences and prompts name, in several languages: "the password for the guest network is …", "Das
 * Passwort lautet …", and `[sudo] password for ada: …`. Takes time in proportion to the text.
 */
import { isMixed, masked } from './secret-forms.rules.ts';
import { isIdentifier, isLikelySecret, isRandomWord, isStandIn, noSecret } from './secret-values.rules.ts';

/** The words for a password: English, German, French, Spanish, Portuguese, Italian, Dutch, Polish, and more. */
const passwordNouns = [
  'pass(?:word|code|phrase)s?|pass?wd|(?<![\\p{L}\\d.])(?:pwd?|pass(?= is ))',
  'passwort|passwörter|kennwort|zugangscode|passphrase|losung',
  "mots? de passe|mdp|code d[’']accès",
  'contrase(?:ñ|n)as?|clave(?: de acceso)?|frase de paso',
  'senhas?|palavra-passe|palavra passe',
  "parola d[’']ordine|parola chiave",
  'wachtwoord(?:en)?|wachtwoordzin',
  'has(?:ł|l)(?:o|a|em)|heslo|lozinka|geslo|parol[aeă]|slaptažodis|jelszó?',
  'lösenord(?:et)?|adgangskode(?:n)?|kodeord(?:et)?|passord(?:et)?|salasana',
  'şifre(?:si)?|sifre(?:si)?|mật khẩu|kata sandi',
  'парол[ьяею]м?|κωδικός|συνθηματικό',
  'パスワード|暗証番号|合言葉|パスフレーズ|密码|密碼|口令|비밀번호|비번|암호|סיסמה|סיסמא|كلمة (?:المرور|السر)|पासवर्ड|รหัสผ่าน',
].join('|');
/** The words for a token or a key that a program made. */
const tokenNouns = [
  '(?:api|access|auth|bot|secret|setup|recovery|backup|licen[sc]e|deploy|private)[ -]?(?:key|token|code)|token|secret',
  "(?:api|zugriffs|zugangs)-?(?:schlüssel|token)|geheimnis|(?:clé|clef) (?:api|d[’']api|secrète)|jeton",
  'clave (?:api|de api|secreta)|chave (?:api|de api|da api|secreta)|chiave (?:api|segreta)|(?:api-?)sleutel|klucz(?:em)? api',
  'ключ|токен|トークン|apiキー|秘密鍵|令牌|密钥|密鑰|토큰|api 키',
].join('|');

const prepositions =
  "for|of|to|on|at|in|from|für|fürs|von|vom|zum|zur|des|der|im|am|auf|pour|de|du|d['’]|del|della|dello|di|da|do|dos|das|para|per|pra|no|na|en|van|voor|bij|op|dla|till|til|för|для|от|к";
const gapSigns = '[^.!?:;=\\n\\\\"“”«»„|(){}<>\\[\\]]';
const now =
  '(?:now|still|currently|again|jetzt|nun|aktuell|weiterhin|maintenant|désormais|ahora|agora|adesso|ora|nu|teraz|теперь)';
const links = [
  `\\s(?:${now}\\s)?(?:(?:has been|was|is|wurde|ist)\\s)?(?:re)?(?:changed|set|geändert|zurückgesetzt|gesetzt|changé|cambiad[ao]|alterada|cambiata|gewijzigd)\\s(?:to|auf|en|a|para|in|naar)\\s`,
  `\\s(?:${now}\\s)?(?:is|was|are|will be|ist|lautet|war|heißt|heisst|bleibt|est|reste|es|era|é|è|e[’']|ser[áà]|to|jest|brzmi|är|er|on|je|adalah|là|это|είναι|का)(?:\\s${now})?(?:\\s?:)?\\s`,
  '(?<=[\\u3040-\\u9fff\\uac00-\\ud7af]):',
  '\\s?(?:は|が|是|为|為|：|은|는|이|가|を)\\s?',
  '\\s?(?::\\s|=[ \\t])\\s?',
  '\\s(?:—|–|->|→|-)\\s',
].join('|');
const openings = '["\'`“„«‹「『《*]';
const closings = '"\'`“”’»›」』》';
const bare = `[^\\s"'\`“”„«»「」『』<>\\\\,;，。；、\\u3040-\\u30ff\\u4e00-\\u9fff\\uac00-\\ud7af]{4,128}`;
const value = `(?:\\\\{0,7}${openings}{1,2}\\s?([^\\n\\\\${closings}]{3,128}?)\\s?(?=\\\\{0,7}[${closings}*)])|(${bare}))`;

interface Sentence {
  pattern: RegExp;
  kind: 'chosen' | 'made' | 'number' | 'line' | 'alone' | 'mixed';
}

const sentence = (before: string, kind: Sentence['kind'], after = value, flags = 'giu'): Sentence => ({
  pattern: new RegExp(`(${before})${after}`, flags),
  kind,
});

const sentences: readonly Sentence[] = [
  // The text that follows is a value, an answer to a question, what it is set to, or a word with a digit.
  sentence(
    `(?:${passwordNouns})(?:(?:\\s(?:nuev|nov|nuov)[ao]|\\s(?:temp|act|at|prov|tijd)\\p{L}{2,10}|\\s{1,2}(?:${prepositions})\\s?${gapSigns}{1,60}?)?(?:${links}|\\sauf\\s(?=\\S{4,128}\\s(?:gesetzt|geändert|zurückgesetzt)))|(?:\\s${gapSigns}{1,60}?)?\\s?[?？](?:\\s|\\\\n){1,4}\\S{1,64}[:>]\\s|\\s(?:(?:to|auf|à|en|a|op|na)\\s)?(?=\\p{L}\\S{0,32}\\d))`,
    'chosen',
  ),
  // The key of a network is chosen.
  sentence(
    `(?:wi-?fi|wlan|ssid|hotspot)${gapSigns}{0,60}?(?:key|schlüssel|clé|clave|chave|chiave|code)(?:${links})`,
    'chosen',
  ),
  // Without a verb, only after "with", or if the password is quoted.
  sentence(
    `(?<![\\p{L}])(?:with|using|use|try|and|mit|nimm|verwende|und|utilise|usa|gebruik|avec|con|com|met|z|user(?:name)?\\s\\S{1,64})\\s(?:(?:the|this|my|dem|das|le|la|el|o|a|il|het)\\s)?(?:${passwordNouns})\\s`,
    'chosen',
  ),
  sentence(
    `(?:${tokenNouns})(?:\\s(?!(?:hash|id|fingerprint|digest|checksum|version|name|type|url|count)\\b)[\\p{L}]{1,16}){0,5}(?:${links}|\\s(?=[\\w-]{20}))`,
    'made',
  ),
  // A name and a password, after a word for logging in.
  sentence(
    `(?:basic auth|log(?:ged)? ?in|sign(?:ed)? ?in|creds|credentials?|anmeld\\p{L}{0,6}|einlogg\\p{L}{0,4}|zugang(?:sdaten)?|identifiants?|acceso|credenciales|credenziali|inloggen|credenciais|logowani\\p{L}{1,3})${gapSigns}{0,40}?(?:\\s(?:with|as|via|are|mit|als|avec|con|com|met|sind|is)|:|\\s(?:→|->|—|–))\\s{1,2}[\\p{L}\\d.@+_-]{2,64}(?:\\s?[/:|]\\s?(?!/)|\\s(?:with|and|und|mit|et|y|e|i)\\s)`,
    'chosen',
  ),
  sentence(
    `(?:(?<![A-Za-z])(?:PIN|PUK|TAN|OTP|(?:[Tt]he|[Mm]y|[Yy]our) pin)|[Pp]asscode|[Vv]erification code|[Tt]ürcode|[Dd]oor code|(?:[Oo]ne-time|[Ss]ecurity|[Ll]ogin|[Cc]onfirmation|2FA|MFA) code|[Bb]estätigungscode|[Ss]icherheitscode|código de verificación|code de vérification|[Aa]larm code)(?:[- ]?(?:code|Code|number|Nummer))?(?:\\s(?:${prepositions})\\s${gapSigns}{1,40}?)?(?:\\s(?:is|ist|lautet|est|es|é|è|to))?[\\s:=]{1,3}`,
    'number',
    '()(\\d{4,8}|\\d{3}[ -]\\d{3})(?![\\d-]|\\.\\d)',
    'gu',
  ),
  sentence(
    `(?<!public |öffentliche |öffentlicher |[\\p{L}\\d_.-])(?:key|schlüssel|clé|clef|clave|chave|chiave|sleutel|klucz)(?:\\s(?:${prepositions})\\s${gapSigns}{1,40}?)?(?:${links}|\\s)`,
    'mixed',
  ),
  // One word alone in the line behind the name.
  sentence(
    '(?:^|(?<=[\\n"]|\\\\n))(?:Password|Passphrase|Passwort|Kennwort|Mot de passe|Contraseña|Senha|Wachtwoord|Hasło)(?:\\s(?:for|of|für|de|do|van)\\s\\S{1,64})?\\s?:\\s',
    'alone',
    '()(\\p{Ll}[\\p{L}\\d-]{4,32})(?=\\s{0,2}(?:$|\\n|\\\\n|"))',
    'gu',
  ),
  sentence(
    `\\b(?:the|your|my|new|das|dein|neues|le|votre|la|tu|el|mi|mijn|moje|minha)\\s(?:[\\p{L}-]{1,16}\\s)?(?:${passwordNouns}):\\s`,
    'alone',
    '()(\\p{L}[\\p{L}\\d.-]{4,32})(?=\\s{0,2}(?:$|\\n|\\\\n|"|,\\s(?:user|login|benutzer|nutzer|usuario|utilisateur|identifiant|utente|gebruiker)))',
  ),
  // The rest of the line after a prompt.
  sentence(
    `(?:\\[sudo\\][^\\n:"]{1,80}|(?:Enter|Repeat|Verify|Confirm|Retype)[^\\n:"]{0,24}\\spass(?:word|phrase)[^\\n"]{0,120}?|['’]s password|Password for '[^'\\n]{1,160}'):\\s{1,2}`,
    'line',
    '()([^\\r\\n"\\\\]{1,128})',
    'gu',
  ),
];

const units =
  /^[\s-](?:bytes?|bits?|characters?|chars|digits|zeichen|caract|seconds|minutes|hours|days|ms\b)/i;
const algorithm =
  /^(?:sha|md|base|argon|bcrypt|scrypt|pbkdf|aes|rsa|utf|oauth|http|ipv|v|x|win|ssha|hs|rs|es)-?\d/i;
const adjective =
  /(?:ed|ing|ly|known|only|free|safe|proof|side|like|specific|dependent|valid|to-date|new|used|less|able|grade)$/i;
const requirement =
  /\b(?:must|should|shall|required|at least|characters|your|invalid|incorrect|wrong|empty)\b/i;
const statement =
  /^(?:required|optional|wrong|incorrect|correct|empty|valid|invalid|expired|missing|secret|null|none|true|false|obligatorisch|falsch|richtig|leer|password|passwort)$/i;

function isChosenInSentence(word: string, isQuoted: boolean): boolean {
  if (isStandIn(word) || algorithm.test(word) || requirement.test(word) || statement.test(word)) return false;
  if (!isQuoted && isIdentifier(word) && !/\d$/.test(word)) return false;
  if (isQuoted && /^[\p{L}\d-]{5,40}$/u.test(word)) return true;
  if (/^\p{L}{3,}(?:-\p{L}{3,}){1,5}$/u.test(word)) return !adjective.test(word) && /^\p{Ll}/u.test(word);
  return isLikelySecret(word, 'chosen', 'bare') && !/^\d+(?:[.,:%x-]\d*)+%?$/.test(word);
}

function isSecretWord(word: string, kind: Sentence['kind'], isQuoted: boolean, after: string): boolean {
  if (kind === 'line') return !isStandIn(word) && !requirement.test(word);
  if (/^\d+$/.test(word) && units.test(after)) return false;
  if (kind === 'number') return true;
  if (kind === 'mixed') return isRandomWord(word, 24) && isMixed(word) && !/[/.:]/.test(word);
  if (kind === 'alone') return !noSecret.test(word) && !adjective.test(word) && !statement.test(word);
  return kind === 'made'
    ? isLikelySecret(word, 'made', 'bare') && isRandomWord(word, 16)
    : isChosenInSentence(word, isQuoted);
}

/** The password comes first: "… is the password for the router". */
const nounBehind = new RegExp(
  `["'\`]?\\s(?:is|as|ist|als|est|comme|es|como|è|é|come)\\s(?:the|my|your|our|das|der|dein|mein|le|la|el|mon|il|o|a)\\s(?:[\\p{L}-]{1,16}\\s){0,2}(?:(${passwordNouns})|${tokenNouns})`,
  'giu',
);
const wordAtEnd = /[^\s"'`\\]{4,}$/;
const maxWordCharacters = 128;

/** Returns the text with the words that sentences call a password or a token afterwards replaced by `[masked]`. */
function maskWordsBefore(text: string): string {
  let out = '';
  let from = 0;
  for (const { index: at, 1: password } of text.matchAll(nounBehind)) {
    const word = wordAtEnd.exec(text.slice(Math.max(from, at - maxWordCharacters), at))?.[0] ?? '';
    if (word === '' || !isSecretWord(word, password === undefined ? 'made' : 'chosen', false, '')) continue;
    out += text.slice(from, at - word.length) + masked;
    from = at;
  }
  return out + text.slice(from);
}

/** Returns the text with the secrets that its sentences name replaced by `[masked]`. */
export function maskSentences(text: string): string {
  let shown = maskWordsBefore(text);
  for (const { pattern, kind } of sentences)
    shown = shown.replace(
      pattern,
      (
        whole: string,
        before: string,
        inQuotes: string | undefined,
        plain: string | undefined,
        at: number,
      ) => {
        const isQuoted = inQuotes !== undefined && inQuotes !== '';
        const word = isQuoted
          ? inQuotes
          : (plain ?? '').replace(kind === 'line' ? /\s+$/ : /[.:?)]{1,3}$/, '');
        if (
          word === '' ||
          !isSecretWord(
            word,
            kind,
            isQuoted && !/[:=]\s{1,2}$/.test(before),
            shown.slice(at + whole.length, at + whole.length + 16),
          )
        )
          return whole;
        const from = whole.indexOf(word, before.length);
        return whole.slice(0, from) + masked + whole.slice(from + word.length);
      },
    );
  return shown;
}
