/**
 * Verbs with actions, such as `muster enroll approve`: the first word chooses the action, and each action
 * accepts only its own options.
 */
import { parseArgs } from 'node:util';
import { nearestWord } from '#platform/nearest-word.ts';
import type { Env } from '#protocol/paths.ts';
import { memberOf } from './checked-input.ts';
import { UsageError } from './usage-error.ts';
import { type ExplainedAction, type OptionTable, readArguments, type Values, type Verb } from './verb.ts';

export interface ActionCall<Table extends OptionTable> {
  values: Values<Table>;
  env: Env;
  /** The words after the action, as many as it names. */
  words: string[];
}

export interface Action<Table extends OptionTable> {
  summary: string;
  /**
   * The words that it takes: `['code']`. A word like `'local?'` may be left out, and `'text...'` stands for
   * all that follow. A `member` or a `name` may be written with an "@".
   */
  words: readonly string[];
  /** The options that it accepts besides the common ones. */
  options: readonly (keyof Table & string)[];
  /** A command that shows how it is used, if that is not obvious. */
  example?: string;
  run(call: ActionCall<Table>): Promise<number | undefined>;
}

export interface ActionsDefinition<Table extends OptionTable> {
  name: string;
  /** Every option of any action. */
  options: Table;
  /** The options that every action accepts. */
  common: readonly (keyof Table & string)[];
  actions: Record<string, Action<Table>>;
  /** The action of a command that names none. */
  fallback?: string;
}

export function defineActions<const Table extends OptionTable>(definition: ActionsDefinition<Table>): Verb {
  const { name, options, common, actions, fallback } = definition;
  const explained: Record<string, ExplainedAction> = {};
  for (const [action, { summary, words, options: own, example }] of Object.entries(actions)) {
    const taken: readonly string[] = [...common, ...own];
    explained[action] = {
      usage: ['muster', name, action, ...words.map(wordShape)].join(' '),
      summary,
      options: Object.fromEntries(Object.entries(options).filter(([option]) => taken.includes(option))),
      notes: example === undefined ? [] : ['Example:', `  ${example}`],
    };
  }
  return {
    usage: `muster ${name} ${fallback === undefined ? '<action>' : '[action]'} [options]`,
    options,
    notes: [`Run "muster help ${name} <action>" for the options of an action.`],
    actions: explained,
    async start(args, env) {
      const [chosen = fallback] = wordsIn(args, options);
      const { values, positionals } = readArguments(args, options, true, explained[chosen ?? '']?.options);
      const { usage, options: accepted } = knownAction(chosen, explained);
      const action = knownAction(chosen, actions);
      const words = positionals
        .slice(1)
        .map((word, at) =>
          /^(?:new-)?(?:member|name)$/.test(action.words[at] ?? '') ? memberOf(word) : word,
        );
      if (!isFitting(action.words, words.length))
        throw new UsageError(`the arguments do not match "${usage}"`);
      const foreign = Object.keys(values).find((option) => !Object.hasOwn(accepted, option));
      if (foreign !== undefined)
        throw new UsageError(`"muster ${name} ${chosen}" does not accept --${foreign}`);
      // The table declares exactly these values; parseArgs loses their types in the generic.
      return action.run({ values: values as Values<Table>, env, words });
    },
  };
}

/** Returns the words that are neither options nor values of options. Refuses nothing. */
export const wordsIn = (args: string[], options: OptionTable): string[] =>
  parseArgs({ args, options, strict: false, allowPositionals: true }).positionals;

/** @throws UsageError if there is no such action. */
export function knownAction<T>(word: string | undefined, actions: Readonly<Record<string, T>>): T {
  const names = Object.keys(actions);
  const action = word !== undefined && names.includes(word) ? actions[word] : undefined;
  if (action !== undefined) return action;
  const near = word === undefined ? undefined : nearestWord(word, names);
  throw new UsageError(
    near === undefined
      ? `name an action: ${names.join(', ')}`
      : `there is no action "${word}". Did you mean "${near}"?`,
  );
}

const isOptional = (word: string): boolean => word.endsWith('?');
const isRest = (word: string): boolean => word.endsWith('...');

const wordShape = (word: string): string =>
  isOptional(word) ? `[${word.slice(0, -1)}]` : isRest(word) ? `[${word}]` : `<${word}>`;

function isFitting(words: readonly string[], count: number): boolean {
  const needed = words.filter((word) => !isOptional(word) && !isRest(word)).length;
  return count >= needed && (words.some(isRest) || count <= words.length);
}
