/**
 * Rows as aligned columns; the first row has the heads. Cells are remote text: control characters are shown
 * as escapes.
 */
import process from 'node:process';
import { colored, presenceStyle, type Style, statusStyle } from './colors.ts';
import { cutTo, displayWidth } from './display-width.ts';
import { print } from './output.ts';
import { oneLine } from './terminal-text.ts';

/** The heads of columns that a person can read in part. All others hold ids, names, and short words. */
const freeText: ReadonlySet<string> = new Set([
  'CHANGE',
  'DEVICE',
  'LABEL',
  'PRESENCE',
  'REASON',
  'ROLE',
  'TEXT',
  'TITLE',
  'WHY',
]);
const styleByHead: ReadonlyMap<string, (cell: string) => Style | undefined> = new Map([
  ['PRESENCE', presenceStyle],
  ['STATUS', statusStyle],
]);
const gap = 2;
/** A column of free text is never made narrower than this. */
const minText = 16;

/** Infinite if standard output is not a terminal, or one of unknown size. */
const terminalColumns = (): number =>
  (process.stdout.isTTY && process.stdout.columns) || Number.POSITIVE_INFINITY;

/** Returns what prints rows, the heads before the first of them. The first rows determine the widths. */
export function createTable(head: string[]): (rows: string[][]) => void {
  let widths: number[] | undefined;
  return (rows) => {
    const isFirst = widths === undefined;
    const shown = [...(isFirst ? [head] : []), ...rows.map((row) => row.map(oneLine))];
    widths ??= fitted(head, widest(head, shown));
    for (const [index, row] of shown.entries()) {
      const isHead = isFirst && index === 0;
      print(lineOf(head, row, widths, (name, cell) => (isHead ? 'bold' : styleByHead.get(name)?.(cell))));
    }
  };
}

const widest = (head: string[], rows: string[][]): number[] =>
  head.map((_, column) => Math.max(...rows.map((row) => displayWidth(row[column] ?? ''))));

/** Takes from the widest columns of free text, one after the other, until the columns fit the terminal. */
function fitted(head: string[], widths: readonly number[]): number[] {
  const result = [...widths];
  let excess = result.reduce((sum, width) => sum + width, gap * (result.length - 1)) - terminalColumns();
  const texts = [...head.keys()].filter((column) => freeText.has(head[column] ?? ''));
  for (const column of texts.sort((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0))) {
    const width = result[column] ?? 0;
    const taken = Math.max(0, Math.min(excess, width - minText));
    result[column] = width - taken;
    excess -= taken;
  }
  return result;
}

function lineOf(
  head: string[],
  row: string[],
  widths: readonly number[],
  styleOf: (name: string, cell: string) => Style | undefined,
): string {
  const own = row.map((cell, column) => Math.max(widths[column] ?? 0, displayWidth(cell)));
  const room = fitted(head, own);
  return row
    .map((cell, column) => {
      const name = head[column] ?? '';
      const cut = freeText.has(name) ? cutTo(room[column] ?? 0, cell) : cell;
      const space = ' '.repeat(Math.max(0, (widths[column] ?? 0) - displayWidth(cut)));
      return colored(styleOf(name, cell), cut) + space;
    })
    .join(' '.repeat(gap))
    .trimEnd();
}

/** @param whenEmpty printed instead of a table without rows. */
export function printTable(head: string[], rows: string[][], whenEmpty?: string): void {
  if (rows.length === 0 && whenEmpty !== undefined) print(whenEmpty);
  else createTable(head)(rows);
}
