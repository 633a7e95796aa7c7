/** Puts what the broker says to programs into words for a member (docs/style.md#errors-and-user-facing-text). */
import { fileSize } from './file-size.rules.ts';

/** The remedy, if the broker names something that only a program can do; an empty text if there is nothing to do. */
const remedyByReason: Partial<Record<string, string>> = {
  unauthenticated: 'Log in again.',
  idempotency_key_reused: '',
  name_collision: 'Choose another name.',
  path_exists: 'Choose another name.',
  parent_missing: 'Create the directory first.',
  directory_not_empty: 'Delete what is in it first.',
  invalid_mime_type: '',
  time_in_the_future: '',
  block_reason_missing: '',
  too_many_json_values: '',
};

const sentenceByReason: Partial<Record<string, string>> = {
  unauthenticated: 'You are not logged in anymore.',
  missing_right: 'You may not do this.',
  idempotency_key_reused: 'This was already sent with other content.',
  block_reason_missing: 'Say what blocks the objective.',
};

/** The place in a request, such as `body.role.title: `. */
const place = /^(?:body|query|params)\.([\w.]+): /;

/** `role.maxItems` becomes `role max items`. */
const inWords = (name: string): string =>
  name
    .replaceAll('.', ' ')
    .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .trim();

/** Neither a name nor a path, which are in quotation marks, is changed. */
const outsideQuotes = (text: string, change: (part: string) => string): string =>
  text
    .split(/("[^"]*")/)
    .map((part, at) => (at % 2 === 1 ? part : change(part)))
    .join('');

const asSentence = (text: string): string =>
  text === '' ? '' : `${text.charAt(0).toLocaleUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;

/** Returns one or two sentences. `message`: of the broker, which says what happened and, after a semicolon, what to do. */
export function sentenceOfRefusal(reason: string | null, message: string): string {
  const marked = outsideQuotes(
    message.replace(place, (_, name: string) => `${inWords(name)}: `),
    (part) =>
      part
        .replaceAll('members.manage', 'the permission “Manage members”')
        .replaceAll(/\b(\d{4,}) bytes\b/g, (_, bytes: string) => fileSize(Number(bytes)))
        .replaceAll('; ', '\n'),
  );
  const [happened = '', ...rest] = marked.split('\n');
  const remedy = remedyByReason[reason ?? ''] ?? asSentence(rest.join('; '));
  return `${sentenceByReason[reason ?? ''] ?? asSentence(happened)} ${remedy}`.trim();
}
