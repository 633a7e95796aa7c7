/** Prints lists that come in pages. */
import { allOf, atMost, type Pages } from '#protocol/pages.ts';
import { print, printJson } from './output.ts';
import { createTable } from './table.ts';

interface Printed<T> {
  isJson: boolean | undefined;
  /** As many items at most. */
  max?: number | undefined;
  head: string[];
  cellsOf: (item: T) => string[];
  /** Printed instead of a table without rows. */
  whenEmpty?: string;
  /** The document of --json, from all items. */
  documentOf: (items: T[]) => unknown;
}

/**
 * Prints each page of a table when it has arrived. The document of --json needs all of them first. @throws what
 * the pages throw.
 */
export async function printPages<T>(
  all: Pages<T>,
  { isJson, max, head, cellsOf, whenEmpty, documentOf }: Printed<T>,
): Promise<void> {
  const pages = max === undefined ? all : atMost(all, max);
  if (isJson) return printJson(documentOf(await allOf(pages)));
  const printRows = createTable(head);
  let isEmpty = true;
  for await (const page of pages) {
    isEmpty &&= page.length === 0;
    if (!isEmpty || whenEmpty === undefined) printRows(page.map(cellsOf));
  }
  if (isEmpty && whenEmpty !== undefined) print(whenEmpty);
}
