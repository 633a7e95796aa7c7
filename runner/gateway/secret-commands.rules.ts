/**
 * Secrets that are recognized by the command or the statement around them: `curl -u`, `mysql -p`, `.netrc`,
 * `requirepass`, and `IDENTIFIED BY`. Takes time in proportion to the text.
 */
import { masked } from './secret-forms.rules.ts';
import { isLikelySecret } from './secret-values.rules.ts';

interface SecretArgument {
  /** Up to the secret, then the secret. */
  pattern: RegExp;
  /** What must come before it in the same line, within a limited distance. */
  command: RegExp | null;
  /** Whether every value counts, because nothing else is at this place. */
  isCertain: boolean;
}

const word = '(\\\\{0,7}["\'])?((?:(?<=["\'])[^"\'\\\\\\r\\n]{1,512}|[^\\s"\'\\\\]{1,512}))';
const argument = (before: string): RegExp => new RegExp(`(${before})${word}`, 'g');

const secretArguments: readonly SecretArgument[] = [
  {
    pattern: argument(
      '\\s(?:-[A-Za-z]{0,8}u|--(?:proxy-)?user)(?:\\s{1,4}|=)\\\\{0,7}["\']?[^\\s:"\'$\\\\]{1,128}:',
    ),
    command: /\bcurl\b/,
    isCertain: true,
  },
  {
    pattern: argument('\\s-p\\s?'),
    command: /\b(?:mysql\w*|mariadb\w*|sshpass|docker login|az login)\b/,
    isCertain: false,
  },
  { pattern: argument('\\s-a\\s{1,4}'), command: /\bredis-cli\b/, isCertain: true },
  {
    pattern: argument(
      '\\s--[A-Za-z-]{0,40}(?:password|passwd|passphrase|token|secret|secret-key|account-key|api-key)\\s{1,4}',
    ),
    command: null,
    isCertain: false,
  },
  { pattern: argument('\\b(?:requirepass|masterauth)\\s{1,4}'), command: null, isCertain: false },
  {
    pattern: argument('\\b(?:password|passwd)\\s{1,16}'),
    command: /\b(?:login|machine|default)\s/,
    isCertain: false,
  },
  {
    pattern: /(\b(?:IDENTIFIED BY|PASSWORD)\s{1,4})(\\{0,7}')([^'\\\r\n]{1,512})/gi,
    command: null,
    isCertain: true,
  },
];

const commandDistance = 512;

/** Returns the text with the secrets in known commands replaced by `[masked]`. */
export function maskCommands(text: string): string {
  let shown = text;
  for (const { pattern, command, isCertain } of secretArguments)
    shown = shown.replace(
      pattern,
      (whole: string, before: string, quote: string | undefined, value: string, at: number) => {
        if (command !== null && !command.test(`${shown.slice(Math.max(0, at - commandDistance), at)} `))
          return whole;
        const form = isCertain ? 'variable' : 'bare';
        return isLikelySecret(value, 'chosen', form) ? before + (quote ?? '') + masked : whole;
      },
    );
  return shown;
}
