/**
 * Secrets that are recognized by what is around them, in a table: commands and their options, statements, protocols,
 * calls that take a name and a password, and markup. Takes time in proportion to the text.
 */
import { masked } from './secret-forms.rules.ts';
import { isSecretName } from './secret-names.rules.ts';
import { isLikelySecret, isRandomWord, isStandIn } from './secret-values.rules.ts';

interface SecretPlace {
  /** Up to the secret, then the quote of the secret if it has one, then the secret. */
  pattern: RegExp;
  /** What must come before it within a limited distance. */
  command?: RegExp;
  /** `certain` if nothing but a secret can be at this place except a reference. */
  judgement: 'certain' | 'likely' | 'made';
}

const quote = '\\\\{0,7}["\']';
const word = `(${quote})?((?:(?<=["'])[^"'\\\\\\r\\n]{1,512}|[^\\s"'\\\\]{1,512}))`;
const quoted = `(${quote})([^"'\\\\\\r\\n]{1,512})(?=${quote})`;
const string = `[@bfru]?${quote}[^"'\\\\\\r\\n]{0,128}${quote}`;
const place = (
  before: string,
  judgement: SecretPlace['judgement'] = 'certain',
  command?: RegExp,
  value = word,
): SecretPlace => ({
  pattern: new RegExp(`(${before})${value}`, 'g'),
  judgement,
  ...(command === undefined ? {} : { command }),
});

/** A name before the secret in the same argument, as in `-u name:secret`. */
const named = (separator: string): string => `${quote}?[^\\s:"'$%,\\\\][^\\s:"'$%,]{0,127}${separator}`;

const optionPlaces: readonly SecretPlace[] = [
  place(
    `\\s(?:-[A-Za-z]{0,8}[uaA]|--(?:proxy-)?user|--auth)(?:\\s{1,4}|=)${named(':')}`,
    'certain',
    /\b(?:curl|https?|xh|ab|siege|wget|lftp)\s/,
  ),
  place(`\\s(?:-U|--user)(?:\\s{0,4}|=)${named('%')}`, 'certain', /\b(?:smb\w+|rpcclient|net|nmb\w+)\s/),
  place(`\\s-u\\s{1,4}${named(',')}`, 'certain', /\blftp\s/),
  place(
    '\\s-p\\s?',
    'likely',
    /\b(?:my(?:sql|cli)\w*|mariadb\w*|sshpass|(?:docker|podman|az|oc|helm registry|skopeo) login|mongo\w*|evil-winrm|crackmapexec|netexec|rdesktop|cqlsh)\s/,
  ),
  place('\\s-(?:p|hp)', 'certain', /\b(?:7z[ar]?|7zz|rar|unrar)\s/),
  place('\\s-w\\s{0,4}', 'certain', /\b(?:ldap\w+)\s/),
  place('\\s-P\\s{0,4}', 'certain', /\b(?:zip|unzip|sqlcmd|bcp|isql|tsql|ipmitool|mosquitto_\w+)\s/),
  place('\\s-a\\s{1,4}', 'certain', /\bredis-cli\b/),
  place('\\s-k\\s{1,4}', 'certain', /\bopenssl enc\s/),
  place('\\s-pw\\s{1,4}', 'certain', /\b(?:plink|pscp|psftp|putty)\b/),
  place(
    '\\s--?[A-Za-z-]{0,40}(?:[Pp]ass(?:word|wd|phrase)|token|secret|secret-key|account-key|api-key)\\s{1,4}',
    'likely',
  ),
  place('\\s-(?:src|dest)?(?:store|key)pass(?:wd)?\\s{1,4}'),
  place('\\s-pass(?:in|out)?\\s{1,4}pass:'),
  place('\\s/(?:p|pass|password):', 'certain', /\b(?:[xw]?freerdp\d?|cmdkey|net|mstsc|schtasks|runas)\b/),
  place(
    '\\bhtpasswd\\s{1,4}-[A-Za-z]{0,6}b[A-Za-z]{0,6}\\s{1,4}(?:\\S{1,128}\\s{1,4}){1,2}(?=[^\\s]{1,128}\\s{0,4}$)',
  ),
  place('\\bnet use \\S{1,16}\\s{1,4}[^\\s"]{1,256}\\s{1,4}(?!/)'),
  place('\\bnet user \\S{1,64}\\s{1,4}(?!/)'),
  place(
    '\\b(?:sqlplus|sqlldr|impdp|expdp|rman|tnsping)\\b[^\\n/]{1,64}[\\s=][^\\s/"\']{1,64}/(?=[^\\s/@]{1,64}@)',
  ),
  place('\\bwpa_passphrase\\s{1,4}\\S{1,64}\\s{1,4}'),
  place(
    `\\becho\\s{1,4}(?:-n\\s{1,4})?(?=[^|\\n]{1,512}\\|\\s{0,4}(?:sudo -S|[^|\\n]{0,200}(?:--password-stdin|--passphrase-fd|--stdin)))`,
  ),
  place(
    `\\becho\\s{1,4}(?:-n\\s{1,4}|-e\\s{1,4})?${named(':')}(?=[^|\\n]{1,512}\\|\\s{0,4}(?:sudo\\s{1,4})?chpasswd)`,
  ),
  place('\\b(?:password|passwd)\\s{1,16}', 'likely', /\b(?:login|machine|default|mysqladmin|nmcli)\s/),
];

const statementPlaces: readonly SecretPlace[] = [
  place('\\b(?:requirepass|masterauth)\\s{1,4}', 'likely'),
  place('(?:^|[\\n>]\\s{0,4})(?:AUTH|PASS)\\s(?!(?:LOGIN|PLAIN|CRAM|XOAUTH)\\b)', 'likely'),
  place('\\b(?:secret|password)\\s[0-9]\\s', 'certain', /\b(?:enable|username)\s/),
  {
    pattern:
      /(\b(?:IDENTIFIED (?:WITH \w{1,64} )?(?:BY|AS)|PASSWORD)\s{1,4})(\\{0,7}')([^'"\\\r\n]{1,512})/gi,
    judgement: 'certain',
  },
  place('\\bPASSWORD\\(\\s{0,4}', 'certain', undefined, quoted),
  place('\\bConvertTo-SecureString\\s{1,4}(?:-String\\s{1,4})?'),
  // A name and a password as the arguments of a call, or as the two values of `auth`.
  place(
    `(?:\\bauth\\s{0,4}[=:]\\s{0,4}[([]|(?:[Cc]redentials?|[Bb]asic\\w{0,16}|(?:HTTP|Http|Proxy)\\w{0,8}Auth|\\.auth|AuthenticationToken)\\()\\s{0,16}${string}\\s{0,4},\\s{0,16}`,
    'certain',
    undefined,
    quoted,
  ),
  place(
    `\\b\\w{0,32}(?:[Ll]ogin|[Aa]uthenticate|[Ss]ign[Ii]n)\\(\\s{0,16}${string}\\s{0,4},\\s{0,16}`,
    'likely',
    undefined,
    quoted,
  ),
  place(`\\bClient\\w{0,32}\\(\\s{0,16}${string}\\s{0,4},\\s{0,16}`, 'made', undefined, quoted),
];

const filePlaces: readonly SecretPlace[] = [
  // `.pgpass`: host, port, database, name, and password.
  {
    pattern:
      /((?:^|(?<=[\n"]|\\n))(?![\da-f:]{1,64}(?:\s|$))[\w.*-]{1,253}:(?:\d{2,5}|\*):[\w*-]{1,64}:[\w.-]{1,64}:)()([^\s:"'\\]{1,256})(?=$|[\s"'\\])/g,
    judgement: 'certain',
  },
];

const places = [...optionPlaces, ...statementPlaces, ...filePlaces];
const commandDistance = 512;

function isSecretAt(value: string, judgement: SecretPlace['judgement']): boolean {
  if (judgement === 'made') return isLikelySecret(value, 'made', 'quoted') && isRandomWord(value, 16);
  if (judgement === 'certain') return !isStandIn(value) && !isSecretName(value) && value.length > 2;
  return isLikelySecret(value, 'chosen', 'bare');
}

/** Returns the text with the secrets in known places replaced by `[masked]`. */
export function maskPlaces(text: string): string {
  let shown = text;
  for (const { pattern, command, judgement } of places)
    shown = shown.replace(
      pattern,
      (whole: string, before: string, opening: string | undefined, value: string, at: number) => {
        if (command !== undefined && !command.test(`${shown.slice(Math.max(0, at - commandDistance), at)} `))
          return whole;
        return isSecretAt(value, judgement) ? before + (opening ?? '') + masked : whole;
      },
    );
  return shown;
}
