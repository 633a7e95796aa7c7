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
  /** The text that must come before it within a limited distance. */
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
    /\b(?:curl|https?|xh|ab|siege|wget|l?ftp)\s/,
  ),
  place(`\\s(?:-U|--user)(?:\\s{0,4}|=)${named('%')}`, 'certain', /\b(?:smb\w+|rpcclient|net|nmb\w+)\s/),
  place(`\\s-u\\s{1,4}${named(',')}`, 'certain', /\blftp\s/),
  place('\\s-u(?=[^\\s:"\']{1,64}:)[^\\s:"\']{1,64}:', 'certain', /\bcurl\s/),
  place('\\s-p', 'certain', /\b(?:my(?:sql|cli)\w*|mariadb\w*|sshpass)\s/),
  place(
    '\\s-p\\s{1,4}',
    'certain',
    /\b(?:sshpass|mongo\w*|cqlsh|evil-winrm|crackmapexec|netexec|rdesktop|psexec|(?:docker|podman|az|oc|skopeo|helm registry) login)\s|\baz\s[^\n]{0,99}create\s/,
  ),
  place('\\s-(?:p|hp)', 'certain', /\b(?:7z[ar]?|7zz|rar|unrar)\s/),
  place('\\s-w\\s{0,4}', 'certain', /\b(?:ldap\w+)\s/),
  place('\\s-P\\s{0,4}', 'certain', /\b(?:zip|unzip|sqlcmd|bcp|isql|tsql|ipmitool|mosquitto_\w+)\s/),
  place('\\s-a\\s{1,4}', 'certain', /\bredis-cli\b/),
  place('\\s-k\\s{1,4}', 'certain', /\bopenssl enc\s/),
  place('\\s-pw\\s{1,4}', 'certain', /\b(?:plink|pscp|psftp|putty)\b/),
  place(
    '(?:^|\\s)--?[A-Za-z-]{0,40}(?:token|secret|secret-key|account-key|api-?key|Token|ApiKey)\\s{1,4}',
    'likely',
  ),
  place(
    '(?:^|\\s)--?[A-Za-z-]{0,40}(?:[Pp]ass(?:word|wd|phrase)?|pwd)\\s{1,4}(?!(?:[A-Z_]+|string|text|value|file|path|to|or|and|is|for|the|in|if|of|with|as|from|flag|option|instead|must|on|via|by|when|[-|&;<>].*)(?:[\\s"\']|$))',
  ),
  place('\\s-[AX]\\s{1,4}', 'certain', /\bsnmp\w+\s/),
  place('\\s(?:--body|-b)(?:\\s|=)', 'certain', /\bsecret set\s/),
  place('\\b(?:rclone obscure|vault login|ssh-keygen\\s[^\\n]{0,128}?-[NP])\\s{1,4}(?!-)'),
  place('<<<\\s?', 'likely', /\b(?:secret|passw\w{0,8}|login)\b/),
  place('\\bjdbc:oracle:\\w{1,8}:[^\\s/@:]{1,64}/(?=[^\\s/@]{1,64}@)'),
  place('\\s-(?:src|dest)?(?:store|key)pass(?:wd)?\\s{1,4}'),
  place('\\s-pass(?:in|out)?\\s{1,4}pass:'),
  place('\\s/(?:p|pass|password):', 'certain', /\b(?:[xw]?freerdp\d?|cmdkey|net|mstsc|schtasks|runas)\b/),
  place(
    '\\bhtpasswd\\s{1,4}-[A-Za-z]{0,6}b[A-Za-z]{0,6}\\s{1,4}(?:\\S{1,128}\\s{1,4}){1,2}(?=[^\\s\\\\]{1,128}\\s{0,4}(?:$|[\\n\\\\]))',
  ),
  place('\\boathtool\\s(?:-\\S{1,32}\\s){1,8}(?!-)'),
  place('\\bnet use \\S{1,16}\\s{1,4}[^\\s"]{1,256}\\s{1,4}(?:/\\S{1,128}\\s{1,4}){0,4}(?!/)'),
  place('\\bnet user \\S{1,64}\\s{1,4}(?!/)'),
  place(
    '\\b(?:sqlplus|sqlldr|impdp|expdp|rman|tnsping)\\b[^\\n/]{0,64}[\\s=][^\\s/"\']{1,64}/(?=[^\\s/@]{1,64}@)',
  ),
  place('\\bwpa_passphrase\\s{1,4}\\S{1,64}\\s{1,4}'),
  place(
    `\\becho\\s{1,4}(?:-n\\s{1,4})?(?=[^|\\n]{1,512}\\|\\s{0,4}(?:sudo -S|[^|\\n]{0,200}(?:--password-stdin|--passphrase-fd|--stdin)))`,
  ),
  place(
    `\\becho\\s{1,4}(?:-n\\s{1,4}|-e\\s{1,4})?${named(':')}(?=[^|\\n]{1,512}\\|\\s{0,4}(?:sudo\\s{1,4})?chpasswd)`,
  ),
  place('\\b(?:password|passwd|secret)\\s{1,16}', 'likely', /\b(?:login|machine|default|username|enable)\s/),
  place('\\bpassword\\s{1,8}', 'certain', /\bmachine\s{1,4}\S{1,128}\s{1,8}login\s/),
  place('\\b(?:setx|ENV|set -x|setenv)\\s\\w{0,64}(?:PASSWORD|PASS|PWD|SECRET)\\s{1,4}'),
  place(`\\s(?:-b|--cookie)(?:\\s{1,4}|=)${quote}?[^\\s:"'$=]{1,64}=`, 'certain', /\bcurl\s/),
  place('\\bpassword\\s{1,4}', 'certain', /\b(?:mysqladmin|nmcli)\s/),
];

const statementPlaces: readonly SecretPlace[] = [
  place(
    '(?:^|[\\s"]|\\\\n)(?:requirepass|masterauth|auth_pass|bindpw|rootpw|olcRootPW:)\\s{1,4}(?=[^\\s]{3,128}(?:\\s{0,4}$|\\s{0,2}[\\n"\\\\]|\\s#))',
  ),
  place('\\b(?:requirepass|masterauth)\\s{1,4}', 'likely'),
  place('\\bsnmp-server community\\s{1,4}'),
  place('\\bNickServ IDENTIFY\\s{1,4}'),
  place('\\bIDENTIFIED BY\\s{1,4}'),
  place('(?:^|[\\n>]\\s{0,4})(?:AUTH(?: default)?|PASS)\\s(?!(?:LOGIN|PLAIN|CRAM|XOAUTH)\\b)', 'likely'),
  place('\\b(?:secret|password)\\s[0-9]\\s', 'certain', /\b(?:enable|username)\s/),
  {
    pattern:
      /(\b(?:IDENTIFIED (?:WITH \w{1,64} )?(?:BY|AS)|PASSWORD)\s{1,4})(\\{0,7}')([^'"\\\r\n]{1,512})/gi,
    judgement: 'certain',
  },
  // A value of ODBC that has signs is in braces.
  place(';\\s?(?:PWD|Pwd|pwd|PASSWORD|Password)=\\{', 'certain', undefined, '()([^{}\\r\\n"]{3,128})(?=\\})'),
  place(
    '(?:\\bPASSWORD|\\b(?i:passw\\w{0,16})\\s{0,4}=\\s{0,4}\\w{2,16})\\(\\s{0,4}',
    'certain',
    undefined,
    quoted,
  ),
  place('\\bConvertTo-SecureString\\s{1,4}(?:-String\\s{1,4})?'),
  // A name and a password as the arguments of a call, or as the two values of `auth`.
  place(
    `(?:(?i:auth|credentials?|creds|login)\\s{0,4}[=:]\\s{0,4}[([]|\\bpass(?:word|wd)?\\)?\\s{0,4}=\\s{0,4}\\(?|(?:getConnection|PDO|mysqli(?:_connect)?|pymysql\\.connect|MySQLdb\\.connect|WiFi\\.begin|ldap_bind)\\([^()\\n"']{0,64}(?:${string}\\s{0,4},\\s{0,16}){0,1}|(?:[Cc]redentials?|[Bb]asic\\w{0,16}|[Uu]ser_?[Pp]ass(?:word)?|(?:HTTP|Http|Proxy)\\w{0,8}Auth|\\.auth|AuthenticationToken|_auth)\\()\\s{0,16}${string}\\s{0,4},\\s{0,16}(?:Some\\()?`,
    'certain',
    undefined,
    quoted,
  ),
  place(
    `(?:[Ll]ogin|[Aa]uthenticate|[Ss]ign[Ii]n)\\(\\s{0,16}${string}\\s{0,4},\\s{0,16}`,
    'likely',
    undefined,
    quoted,
  ),
  place(
    `\\b(?:jwt\\.(?:sign|encode|decode|verify)|createHmac)\\([^()\\n]{1,64},\\s{0,4}`,
    'likely',
    undefined,
    quoted,
  ),
  place(
    `(?:\\.login\\(\\s{0,16}${string}|[Ll]ogin\\(\\s{0,16}${quote}[^"'\\\\\\s@]{1,64}@[^"'\\\\\\s]{1,64}${quote})\\s{0,4},\\s{0,16}`,
    'certain',
    undefined,
    quoted,
  ),
  place(
    `\\bvariable\\s${quote}[\\w-]{0,64}(?:password|passwd|pwd)${quote}\\s\\{[^{}]{0,256}?\\bdefault\\s{0,8}=\\s`,
    'certain',
    undefined,
    quoted,
  ),
  place(`\\b(?:Client\\w{0,32}|init)\\(\\s{0,16}${string}\\s{0,4},\\s{0,16}`, 'made', undefined, quoted),
];

const inElement = '()([^<>"\\\\\\r\\n]{1,512})(?=</)';
const secretWord = '(?:[Pp]assw(?:or)?d|PASSWORD|[Pp]wd|[Pp]ass(?:phrase)?|[Ss]ecret|SECRET)';
const keyWord = '(?:[Tt]oken|TOKEN|[Kk]ey|KEY)';
const filePlaces: readonly SecretPlace[] = [
  // Elements of XML that have the name of the secret as an attribute or in the element before.
  ...(
    [
      [secretWord, 'certain'],
      [keyWord, 'made'],
    ] as const
  ).flatMap(([name, judgement]) => [
    place(
      `<[\\w:.-]{1,64}\\s[^<>]{0,128}\\b(?:name|key|id)=${quote}[\\w.-]{0,64}${name}${quote}[^<>]{0,128}>(?:\\s{0,16}<value>)?\\s{0,16}`,
      judgement,
      undefined,
      inElement,
    ),
    place(`<key>[\\w.-]{0,64}${name}</key>(?:\\s|\\\\n){0,16}<string>`, judgement, undefined, inElement),
  ]),
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
