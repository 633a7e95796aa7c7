/** The texts of `muster --help` and `muster <verb> --help`. */
import type { OptionTable, Verb } from './verb.ts';
import type { VerbRow } from './verb-table.ts';

export function overview(table: readonly VerbRow[]): string {
  const groups = Map.groupBy(table, (row) => row.group);
  const width = Math.max(...table.map((row) => row.name.length));
  const sections = [...groups].map(([group, rows]) => {
    const lines = rows.map((row) => `  ${row.name.padEnd(width)}  ${row.summary}`);
    return `${group}:\n${lines.join('\n')}`;
  });
  return [
    'Usage: muster <verb> [options]',
    ...sections,
    'Every verb accepts --no-color and --no-pager.',
    'Run "muster help <verb>" for the options of a verb, and "muster --version" for the version.',
  ].join('\n\n');
}

export function verbHelp(summary: string, verb: Verb): string {
  const parts = [`Usage: ${verb.usage}`, `${summary[0]?.toUpperCase()}${summary.slice(1)}.`];
  if (Object.keys(verb.options).length > 0) parts.push(`Options:\n${optionLines(verb.options)}`);
  if (verb.notes.length > 0) parts.push(verb.notes.join('\n'));
  return parts.join('\n\n');
}

function optionLines(options: OptionTable): string {
  const rows = Object.entries(options).map(([name, option]) => {
    const short = option.short === undefined ? '' : `-${option.short}, `;
    const value = option.type === 'string' ? ` ${option.value ?? '<value>'}` : '';
    return { left: `${short}--${name}${value}`, help: option.help };
  });
  const width = Math.max(...rows.map((row) => row.left.length));
  return rows.map((row) => `  ${row.left.padEnd(width)}  ${row.help}`).join('\n');
}
