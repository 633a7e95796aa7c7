/** Calls of tools and their results in words. Pure; the inputs are those of many agents, so none has to have its form. */

/** The result of a call. */
export interface ToolAnswer {
  text: string;
  isError: boolean;
}

const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};

/** Returns the team's own tools without the name of their server. A tool of another server keeps it, because it may have the same name. */
export const toolName = (name: string): string => /^mcp__svc__(.+)$/.exec(name)?.[1] ?? name;

/** The fields that name the subject of a call: a program, a file, or a search. */
const subjects = ['command', 'cmd', 'file_path', 'path', 'notebook_path', 'pattern', 'query', 'url'] as const;
/** The fields that have the words of a call. */
const words = ['title', 'body', 'blockReason', 'result', 'reason', 'description', 'prompt', 'text'] as const;

/** A command may be a list of words, such as `["bash", "-lc", "npm test"]`. */
function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value === '' ? null : value;
  if (!Array.isArray(value) || !value.every((word) => typeof word === 'string')) return null;
  return value[1] === '-lc' || value[1] === '-c' ? value.slice(2).join(' ') : value.join(' ');
}

/** Returns the first of these fields that has a text. */
function firstOf(input: Record<string, unknown>, names: readonly string[]): string | null {
  for (const name of names) {
    const text = textOf(input[name]);
    if (text !== null) return text;
  }
  return null;
}

/** Returns the recipient or the new state of a call of the team's own tools. */
function placeOf({ to, channel, status }: Record<string, unknown>): string | null {
  if (typeof to === 'string') return `to ${to}`;
  if (typeof channel === 'string') return `#${channel}`;
  return typeof status === 'string' ? status : null;
}

const shortOf = (value: unknown): string => textOf(value) ?? JSON.stringify(value) ?? '';

/** Returns the call in one line, without the name of the tool; empty for a call without input. */
export function callGist(input: unknown): string {
  if (typeof input === 'string') return input;
  const fields = recordOf(input);
  const subject = firstOf(fields, subjects);
  if (subject !== null) {
    const { pattern, path, offset } = fields;
    if (pattern !== undefined && typeof path === 'string') return `${pattern} in ${path}`;
    return typeof offset === 'number' ? `${subject} from ${offset}` : subject;
  }
  const told = [placeOf(fields), firstOf(fields, words)].filter((part) => part !== null).join(': ');
  if (told !== '') return told;
  return Object.entries(fields)
    .map(([name, value]) => (Array.isArray(value) ? `${value.length} ${name}` : `${name}: ${shortOf(value)}`))
    .join(', ');
}

/** Returns the input as names and texts; an input that is no record has no names. */
export function inputFields(input: unknown): [name: string, text: string][] {
  if (typeof input === 'string') return [['', input]];
  return Object.entries(recordOf(input)).map(([name, value]) => [
    name,
    textOf(value) ?? JSON.stringify(value, null, 1) ?? '',
  ]);
}

/** Returns the text of a result, which is a text or a list of blocks. */
export function resultText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content == null ? '' : JSON.stringify(content, null, 2);
  return content
    .map((block) => {
      const { type, text } = recordOf(block);
      if (typeof text === 'string') return text;
      return type === 'image' ? '[image]' : JSON.stringify(block, null, 2);
    })
    .join('\n');
}
