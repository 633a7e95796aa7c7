/**
 * Rows as aligned columns; the first row has the heads. Cells are remote text: control characters are shown
 * as escapes.
 */
import { print } from './output.ts';
import { oneLine } from './terminal-text.ts';

export function printTable(head: string[], rows: string[][]): void {
  const all = [head, ...rows.map((row) => row.map(oneLine))];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  for (const row of all)
    print(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
}
