/**
 * Rows as aligned columns; the first row has the heads. Cells are remote text: control characters are shown
 * as escapes.
 */
import { print } from './output.ts';
import { oneLine } from './terminal-text.ts';

/** Returns what prints rows, the heads before the first of them. The first rows determine the widths. */
export function createTable(head: string[]): (rows: string[][]) => void {
  const widths = head.map(() => 0);
  let isBegun = false;
  return (rows) => {
    const shown = [...(isBegun ? [] : [head]), ...rows.map((row) => row.map(oneLine))];
    const isFirst = !isBegun;
    isBegun = true;
    for (const row of isFirst ? shown : [])
      for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
    for (const row of shown)
      print(
        row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd(),
      );
  };
}

/** @param whenEmpty printed instead of a table without rows. */
export function printTable(head: string[], rows: string[][], whenEmpty?: string): void {
  if (rows.length === 0 && whenEmpty !== undefined) print(whenEmpty);
  else createTable(head)(rows);
}
