/** The words with which a command line could go on, from the tables of the verbs (specification/command-line.md#completion). */
import { wordsIn } from '../actions.ts';
import type { Explained, Option } from '../verb.ts';
import { verbTable } from '../verb-table.ts';

export interface Candidate {
  value: string;
  text?: string;
}

export type LiveNames = Record<'members' | 'channels' | 'objectives', () => Promise<Candidate[]>>;

/** Other names would need quotation marks, which differ between shells. */
const isPlain = /^[\w@%+=:,./-]+$/;

/** @param words all after the name of the program; the last one is to be completed, and may be empty. */
export async function candidatesFor(words: readonly string[], live: LiveNames): Promise<Candidate[]> {
  const current = words.at(-1) ?? '';
  const [name, ...before] = words.slice(0, -1);
  const found =
    name === undefined
      ? [...verbs(), { value: 'help', text: 'explain a verb' }]
      : name === 'help'
        ? await topics(before)
        : await inVerb(name, before, current, live);
  return found.filter(({ value }) => value.startsWith(current) && isPlain.test(value));
}

const verbs = (): Candidate[] => verbTable.map(({ name, summary }) => ({ value: name, text: summary }));

const load = async (name: string) => (await verbTable.find((row) => row.name === name)?.load())?.verb;

async function topics([name, ...more]: string[]): Promise<Candidate[]> {
  if (name === undefined) return verbs();
  return more.length > 0 ? [] : actionsOf((await load(name))?.actions);
}

const actionsOf = (actions: Readonly<Record<string, { summary: string }>> = {}): Candidate[] =>
  Object.entries(actions).map(([value, { summary }]) => ({ value, text: summary }));

async function inVerb(
  name: string,
  before: string[],
  current: string,
  live: LiveNames,
): Promise<Candidate[]> {
  const verb = await load(name);
  if (verb === undefined || before.includes('--')) return [];
  const open = optionNamed(before.at(-1), verb);
  if (open?.type === 'string') return ofKind(kindOf(open), current, live);
  const written = wordsIn(before, verb.options);
  const action = verb.actions === undefined ? undefined : written.shift();
  const target: Explained | undefined = action === undefined ? verb : verb.actions?.[action];
  if (target === undefined) return [];
  const [, long = '', begun] = /^(--[^=]+)=(.*)$/s.exec(current) ?? [];
  const assigned = optionNamed(long, target);
  if (begun !== undefined && assigned?.type === 'string')
    return prefixed(`${long}=`, await ofKind(kindOf(assigned), begun, live));
  if (current.startsWith('-')) return optionsOf(target);
  if (verb.actions !== undefined && action === undefined) return actionsOf(verb.actions);
  return ofKind(wordKinds(target.usage)[written.length], current, live);
}

const optionNamed = (word: string | undefined, { options }: Explained): Option | undefined =>
  Object.entries(options).find(
    ([name, { short }]) => word === `--${name}` || (short !== undefined && word === `-${short}`),
  )?.[1];

const kindOf = (option: Option): string | undefined => option.value?.slice(1, -1);

/** The words of a usage after the verb: `['slug', 'text...']` of `muster channels post <slug> [text...]`. */
const wordKinds = (usage: string): string[] =>
  [...usage.matchAll(/ [<[]([^\]>]+)[\]>]/g)]
    .map(([, kind = '']) => kind)
    .filter((kind) => kind !== 'options' && kind !== 'action');

const optionsOf = ({ options }: Explained): Candidate[] => [
  ...Object.entries(options).map(([name, { help }]) => ({ value: `--${name}`, text: help })),
  { value: '--help', text: 'explain this command' },
];

const prefixed = (prefix: string, candidates: Candidate[]): Candidate[] =>
  candidates.map((candidate) => ({ ...candidate, value: prefix + candidate.value }));

async function ofKind(kind: string | undefined, begun: string, live: LiveNames): Promise<Candidate[]> {
  if (kind === undefined) return [];
  if (kind.includes('|')) return kind.split('|').map((value) => ({ value }));
  if (['member', 'name', 'members'].includes(kind)) {
    const [prefix = ''] = (kind === 'members' ? /^(?:.*,)?@?/ : /^@?/).exec(begun) ?? [];
    return prefixed(prefix, await live.members());
  }
  if (kind === 'slug') return live.channels();
  return kind === 'objective' ? live.objectives() : [];
}
