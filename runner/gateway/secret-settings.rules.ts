/**
 * Secrets of only letters, or with spaces: in files of settings, in which every line is a name and a value, and in
 * the columns of tables. Takes time in proportion to the text.
 */
import { masked } from './secret-forms.rules.ts';
import { isSecretName } from './secret-names.rules.ts';
import { isLikelySecret, isRandomWord, isStandIn, noSecret, prose } from './secret-values.rules.ts';

/** A line of settings whose name is one of a password. A difference may have signs before it. */
const setting =
  /((?:^|[\n"]|\\n)[ \t+-]{0,40}(?:export |set )?(?:"|[\w.-]{0,64}[._-])?(?:passw(?:or)?d|pass(?:phrase|code)?|pwd?|secret|psk)"?)([ \t]{0,16}[:=][ \t]{0,16})([^\s"'`<>\\#;,{}()[\]$|&*!%@][^\r\n"'`<>\\#;,{}()[\]$|]{2,80})(?=$|\r?\n|\\r|\\n|"|[ \t]{1,8}#)/gi;
/** The line before or after is one of settings, too: a name and a value, a section, or a name alone. */
const settingBefore =
  /(?:^|\n|\\n)[ \t+-]{0,40}(?:export )?(?:\[[\w. -]{1,64}\]|[\w.-]{1,64}[ \t]{0,8}(?:[:=][ \t]{0,8}[^\n{(;,]{0,120})?)[^\n{(;,\\]{0,4}$/;
const settingAfter = /^\r?(?:\n|\\n)[ \t+-]{0,40}(?:export )?[\w.-]{1,64}[ \t]{0,8}[:=][^\n{(;]{0,120}/;

const section = /(?:^|\n|\\n)\[[\w. "-]{1,64}\]\s{0,2}(?:$|\n|\\n)/;

function isSettingValue(value: string, connection: string, isInSection: boolean): boolean {
  if (isStandIn(value) || noSecret.test(value) || prose.test(value) || isSecretName(value)) return false;
  if (/\s/.test(value)) return /^[^\s.:/][^:/=?]*$/.test(value) && value.split(/\s+/).length <= 6;
  // A word with a capital letter is a type or a label, and one with a sign between its parts an identifier.
  if (/^[A-Z][a-z]*$|_|\.|^\d+$|\/|::|->/.test(value)) return false;
  return connection.includes(':') || connection === '=' || isInSection
    ? /^[\p{L}\p{N}+~-]{4,}$/u.test(value)
    : false;
}

/** Returns the text with passwords in lines of settings replaced by `[masked]`. */
function maskSettingLines(text: string): string {
  return text.replace(
    setting,
    (whole: string, name: string, connection: string, value: string, at: number) => {
      const before = text.slice(Math.max(0, at - 160), at);
      if (!isSettingValue(value.trimEnd(), connection, section.test(before))) return whole;
      const after = text.slice(at + whole.length, at + whole.length + 160);
      if (!settingBefore.test(before) && !settingAfter.test(after)) return whole;
      return name + connection + masked;
    },
  );
}

const insert = /\(([^()]{1,1024})\)\s{0,8}VALUES\s{0,8}(?=\()/gi;
const row = /\s{0,8},?\s{0,8}\(([^()]{1,2048})\)/y;
const cell = /\s*(?:N?'(?:[^'\\]|'')*'|[^,']*)(?:,|$)/g;

/** Returns the tuple with its secret columns replaced by `[masked]`. */
function maskCells(cells: string, isSecretColumn: readonly boolean[]): string {
  let column = 0;
  return cells.replace(cell, (whole: string) => {
    const value = /^(\s*N?')([^'\\]{3,})('[\s\S]*)$/.exec(whole);
    const isSecret = isSecretColumn[column] === true;
    column += 1;
    return isSecret && value !== null && !isStandIn(value[2] ?? '')
      ? `${value[1]}${masked}${value[3]}`
      : whole;
  });
}

/** Returns the text with the secret columns of `INSERT INTO … (…) VALUES (…)` replaced by `[masked]`. */
function maskInserts(text: string): string {
  let out = '';
  let from = 0;
  insert.lastIndex = 0;
  for (let found = insert.exec(text); found !== null; found = insert.exec(text)) {
    const isSecretColumn = (found[1] ?? '')
      .split(',')
      .map((name) => isPassword(name.replaceAll(/["`\s[\]\\]/g, '')));
    if (!isSecretColumn.includes(true)) continue;
    row.lastIndex = insert.lastIndex;
    for (let values = row.exec(text); values !== null; values = row.exec(text)) {
      const end = row.lastIndex - 1;
      const at = end - (values[1] ?? '').length;
      out += text.slice(from, at) + maskCells(values[1] ?? '', isSecretColumn);
      from = end;
      insert.lastIndex = row.lastIndex;
    }
  }
  return from === 0 ? text : out + text.slice(from);
}

const isPassword = (name: string): boolean => isSecretName(name) || /^(?:pass|pwd?|pin)$/i.test(name);

/** A column of a password between the same signs as the others, in the first line of a table. */
const column =
  /(?:^|[\n,;\t|])[ "]{0,4}[\w-]{0,24}(?:passwor[dt]|pass|pwd?|kennwort|wachtwoord|senha|token|secret|key)[ "]{0,40}(?=[,;\t|\r\n\\])/gi;
const restOfLine = /[^\r\n\\]{0,512}/y;
const tableLine = /(?:\r?\n|\\n)([^\r\n\\]{1,512})/y;
const maxLineCharacters = 512;

/** Returns where the line begins in which `at` is; far away, it begins nowhere. */
function startOfLine(text: string, at: number): number {
  let from = at;
  while (from > 0 && at - from < maxLineCharacters && !'\n\\'.includes(text[from - 1] ?? '')) from -= 1;
  return text[from - 1] === '\\' && text[from] === 'n' ? from + 1 : from;
}

/** Returns the text with the secret columns of tables with a header replaced by `[masked]`. */
function maskTables(text: string): string {
  let out = '';
  let from = 0;
  column.lastIndex = 0;
  for (let found = column.exec(text); found !== null; found = column.exec(text)) {
    const at = startOfLine(text, found.index + (found[0].startsWith('\n') ? 1 : 0));
    restOfLine.lastIndex = column.lastIndex;
    restOfLine.test(text);
    const end = restOfLine.lastIndex;
    column.lastIndex = Math.max(end, found.index + 1);
    // A field of JSON may begin in the same line.
    const header = text.slice(at, end).replace(/^.*":\s?"/, '');
    const sign = /[,;\t|]/.exec(header)?.[0];
    if (sign === undefined || at < from) continue;
    const names = header.split(sign).map((name) => name.replaceAll(/[" ]/g, ''));
    const isSecretColumn = names.map(isPassword);
    if (!isSecretColumn.includes(true) || names.filter((name) => name !== '').length < 2) continue;
    tableLine.lastIndex = end;
    for (let line = tableLine.exec(text); line !== null; line = tableLine.exec(text)) {
      if (/^[+|: -]+$/.test(line[1] ?? '')) continue;
      const cells = (line[1] ?? '').split(sign);
      if (cells.length !== names.length) break;
      const shown = cells.map((value, index) => {
        const plain = (/^[\s"`]*([^"`]*)/.exec(value)?.[1] ?? '').trimEnd();
        const isFound =
          isSecretColumn[index] === true &&
          (isLikelySecret(plain, 'chosen', 'bare') || isRandomWord(plain)) &&
          !/\s/.test(plain);
        return isFound ? value.replace(plain, masked) : value;
      });
      const lineAt = tableLine.lastIndex - (line[1] ?? '').length;
      out += text.slice(from, lineAt) + shown.join(sign);
      from = tableLine.lastIndex;
      column.lastIndex = tableLine.lastIndex;
    }
  }
  return from === 0 ? text : out + text.slice(from);
}

/** Returns the text with the secrets in settings and tables replaced by `[masked]`. */
export const maskSettings = (text: string): string => maskTables(maskInserts(maskSettingLines(text)));
