/**
 * Verbs with actions, such as `muster enroll approve`: the first word chooses the action, and each action
 * accepts only its own options.
 */
import type { Env } from '#protocol/paths.ts';
import { nearestWord } from './nearest-word.ts';
import { UsageError } from './usage-error.ts';
import { defineVerb, type OptionTable, type Values, type Verb } from './verb.ts';

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
   * all that follow.
   */
  words: readonly string[];
  /** The options that it accepts besides the common ones. */
  options: readonly (keyof Table & string)[];
  run(call: ActionCall<Table>): Promise<number | undefined>;
}

export interface ActionsDefinition<Table extends OptionTable> {
  name: string;
  /** Every option of any action. */
  options: Table;
  /** The options that every action accepts. */
  common: readonly (keyof Table & string)[];
  actions: Record<string, Action<Table>>;
}

export function defineActions<const Table extends OptionTable>(definition: ActionsDefinition<Table>): Verb {
  const { name, options, common, actions } = definition;
  const names = Object.keys(actions);
  const shape = (action: string) => [action, ...(actions[action]?.words ?? []).map(wordShape)].join(' ');
  const widest = Math.max(...names.map((action) => shape(action).length));
  return defineVerb({
    usage: `muster ${name} <action> [options]`,
    options,
    takesArguments: true,
    notes: [
      'Actions:',
      ...names.map((action) => {
        const own = (actions[action]?.options ?? []).map((option) => `--${option}`).join(' ');
        return `  ${shape(action).padEnd(widest)}  ${actions[action]?.summary}${own && ` (${own})`}`;
      }),
    ],
    async run({ values, positionals, env }) {
      const [chosen, ...words] = positionals;
      const action = chosen === undefined ? undefined : actions[chosen];
      if (chosen === undefined || action === undefined || !Object.hasOwn(actions, chosen)) {
        const near = chosen === undefined ? undefined : nearestWord(chosen, names);
        throw new UsageError(
          near === undefined
            ? `name an action: ${names.join(', ')}`
            : `there is no action "${chosen}". Did you mean "${near}"?`,
        );
      }
      if (!isFitting(action.words, words.length))
        throw new UsageError(`the arguments do not match "muster ${name} ${shape(chosen)}"`);
      const taken: readonly string[] = [...common, ...action.options];
      const foreign = Object.keys(values).find((option) => !taken.includes(option));
      if (foreign !== undefined)
        throw new UsageError(`"muster ${name} ${chosen}" does not accept --${foreign}`);
      return action.run({ values, env, words });
    },
  });
}

const isOptional = (word: string): boolean => word.endsWith('?');
const isRest = (word: string): boolean => word.endsWith('...');

const wordShape = (word: string): string =>
  isOptional(word) ? `[${word.slice(0, -1)}]` : isRest(word) ? `[${word}]` : `<${word}>`;

function isFitting(words: readonly string[], count: number): boolean {
  const needed = words.filter((word) => !isOptional(word) && !isRest(word)).length;
  return count >= needed && (words.some(isRest) || count <= words.length);
}
