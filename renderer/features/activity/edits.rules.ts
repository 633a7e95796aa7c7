/** The changes to files in a call of a tool, as diffs. Pure; what is not an edit of a known form is none. */

export interface FileEdit {
  path: string;
  /** A unified diff, or a part of one. */
  diff: string;
}

const contextLines = 3;

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** Returns the lines of both texts: what they have in common at both ends, shortened, and what differs between. */
export function diffOf(before: string, after: string): string {
  const [old, fresh] = [before, after].map((text) => (text === '' ? [] : text.split('\n'))) as [
    string[],
    string[],
  ];
  const most = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < most && old[head] === fresh[head]) head++;
  let tail = 0;
  while (tail < most - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail++;
  const marked = (sign: string, lines: readonly string[]) => lines.map((line) => `${sign}${line}`);
  return [
    ...marked(' ', old.slice(Math.max(0, head - contextLines), head)),
    ...marked('-', old.slice(head, old.length - tail)),
    ...marked('+', fresh.slice(head, fresh.length - tail)),
    ...marked(' ', old.slice(old.length - tail, old.length - tail + contextLines)),
  ].join('\n');
}

function replacement(path: string, value: unknown): FileEdit[] {
  const { old_string: before, new_string: after } = fieldsOf(value);
  if (typeof before !== 'string' || typeof after !== 'string') return [];
  return [{ path, diff: diffOf(before, after) }];
}

const patchStart = '*** Begin Patch';
const patchedFile = /^\*\*\* (?:Add|Update|Delete) File: (.*)$/m;

/** Returns the patches in the form of `apply_patch`, as a text or among the words of a command. */
function patchesIn(input: unknown): FileEdit[] {
  const texts = [input, ...Object.values(fieldsOf(input)).flat()].filter((one) => typeof one === 'string');
  return texts
    .filter((text) => text.trimStart().startsWith(patchStart))
    .map((text) => ({ path: patchedFile.exec(text)?.[1] ?? 'a file', diff: text }));
}

/** `input`: of a call. Returns one entry for each place that the call changes. */
export function editsOf(input: unknown): FileEdit[] {
  const { file_path: path, path: other, edits, content } = fieldsOf(input);
  const file = textOf(path) ?? textOf(other);
  if (file === null) return patchesIn(input);
  const replaced = [input, ...(Array.isArray(edits) ? edits : [])].flatMap((one) => replacement(file, one));
  if (replaced.length > 0) return replaced;
  return typeof content === 'string' ? [{ path: file, diff: diffOf('', content) }] : [];
}
