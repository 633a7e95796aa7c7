/** A verb: its usage, its options, and what it does. A new one is a file and a row in verb-table.ts. */
import { parseArgs } from 'node:util';
import { nearestWord } from '#platform/nearest-word.ts';
import type { Env } from '#protocol/paths.ts';
import { memberOf } from './checked-input.ts';
import { UsageError } from './usage-error.ts';

export interface Option {
  type: 'string' | 'boolean';
  short?: string;
  /** The name of the value in the help, such as `<text>`. A `<member>` may be written with an "@". */
  value?: string;
  help: string;
}
export type OptionTable = Record<string, Option>;

export type Values<Table extends OptionTable> = {
  [Name in keyof Table]?: Table[Name] extends { type: 'boolean' } ? boolean : string;
};

export interface Call<Table extends OptionTable> {
  values: Values<Table>;
  positionals: string[];
  env: Env;
}

export interface VerbDefinition<Table extends OptionTable> {
  /** `muster push [text...] [options]`. */
  usage: string;
  options: Table;
  /** Further lines of the help. */
  notes?: string[];
  takesArguments?: boolean;
  /**
   * Resolves with the exit code, 0 by default. Throws UsageError, CommandFailure, and what its calls throw.
   */
  run(call: Call<Table>): Promise<number | undefined>;
}

/** The parts of a verb, or of one of its actions, that its help shows. */
export interface Explained {
  readonly usage: string;
  readonly options: OptionTable;
  readonly notes: readonly string[];
}

export interface ExplainedAction extends Explained {
  readonly summary: string;
}

export interface Verb extends Explained {
  /** By name, for a verb with actions. */
  readonly actions?: Readonly<Record<string, ExplainedAction>>;
  /** Reads the arguments and runs. @throws UsageError if they are not valid. */
  start(args: string[], env: Env): Promise<number | undefined>;
}

export function defineVerb<const Table extends OptionTable>(definition: VerbDefinition<Table>): Verb {
  const { usage, options, notes = [], takesArguments = false, run } = definition;
  return {
    usage,
    options,
    notes,
    async start(args, env) {
      const { values, positionals } = readArguments(args, options, takesArguments);
      // parseArgs returns exactly what the table declares; its own types get lost in the generic.
      return run({ values: values as Values<Table>, positionals, env });
    },
  };
}

/**
 * @param accepted the options among which the one that was probably meant is looked for.
 * @throws UsageError.
 */
export function readArguments(
  args: string[],
  options: OptionTable,
  takesArguments: boolean,
  accepted: OptionTable = options,
) {
  try {
    const { values, positionals } = parseArgs({
      args,
      options,
      allowPositionals: takesArguments,
      strict: true,
    });
    for (const [name, value] of Object.entries(values))
      if (typeof value === 'string' && /^<(?:new-)?member>$/.test(options[name]?.value ?? ''))
        values[name] = memberOf(value);
    return { values, positionals };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const [, option] = /^Option '(-[^']+)' argument is ambiguous/.exec(error.message) ?? [];
    if (option !== undefined)
      throw new UsageError(
        `${option} requires a value. If the value begins with "-", write ${option}=<value>.`,
      );
    const [, unknown] = /^Unknown option '--([^']+)'/.exec(error.message) ?? [];
    const near = unknown === undefined ? undefined : nearestWord(unknown, Object.keys(accepted));
    if (near !== undefined) throw new UsageError(`unknown option '--${unknown}'. Did you mean --${near}?`);
    // Only the first sentence, because the rest explains Node's own conventions.
    const [sentence = 'the arguments are not valid'] = error.message.split(/\n|\. /);
    throw new UsageError(sentence.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase()));
  }
}
