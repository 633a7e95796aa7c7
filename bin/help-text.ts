/** The texts of `muster --help`, `muster <verb> --help`, and `muster <verb> <action> --help`. */
import type { Explained, ExplainedAction, OptionTable, Verb } from './verb.ts';
import type { VerbRow } from './verb-table.ts';

export function overview(table: readonly VerbRow[]): string {
  const groups = Map.groupBy(table, (row) => row.group);
  const width = Math.max(...table.map((row) => row.name.length));
  const sections = [...groups].map(([group, rows]) => {
    return `${group}:\n${inColumns(
      rows.map(({ name, summary }) => [name, summary]),
      width,
    )}`;
  });
  return [
    'Usage: muster <verb> [options]',
    ...sections,
    'Every verb accepts --no-color and --no-pager.',
    'Run "muster help <verb>" for the options of a verb, and "muster --version" for the version.',
  ].join('\n\n');
}

/** The options of a verb with actions are those that every action accepts. */
export function verbHelp(summary: string, verb: Verb): string {
  if (verb.actions === undefined) return helpOf(summary, verb);
  const actions = Object.values(verb.actions);
  const common = Object.entries(verb.options).filter(([name]) =>
    actions.every(({ options }) => name in options),
  );
  const start = verb.usage.indexOf('<action>');
  return helpOf(summary, { ...verb, options: Object.fromEntries(common) }, [
    `Actions:\n${inColumns(actions.map(({ usage, summary: does }) => [usage.slice(start), does]))}`,
  ]);
}

export const actionHelp = (action: ExplainedAction): string =>
  helpOf(action.summary, { ...action, usage: `${action.usage} [options]` });

function helpOf(summary: string, { usage, options, notes }: Explained, more: string[] = []): string {
  const parts = [`Usage: ${usage}`, `${summary[0]?.toUpperCase()}${summary.slice(1)}.`, ...more];
  if (Object.keys(options).length > 0) parts.push(`Options:\n${inColumns(optionRows(options))}`);
  if (notes.length > 0) parts.push(notes.join('\n'));
  return parts.join('\n\n');
}

const optionRows = (options: OptionTable): [string, string][] =>
  Object.entries(options).map(([name, option]) => {
    const short = option.short === undefined ? '' : `-${option.short}, `;
    const value = option.type === 'string' ? ` ${option.value ?? '<value>'}` : '';
    return [`${short}--${name}${value}`, option.help];
  });

function inColumns(
  rows: readonly (readonly [string, string])[],
  width = Math.max(...rows.map(([left]) => left.length)),
): string {
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}
