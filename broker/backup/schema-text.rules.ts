/** When two definitions in a schema are the same. */

/**
 * Returns a statement without comments and line breaks, which changed between versions of Muster. What is in quotes
 * stays as it is, so that a text in it cannot pose as a comment.
 */
export const schemaText = (sql: string): string =>
  sql
    .replaceAll(
      /('(?:[^']|'')*'|"(?:[^"]|"")*")|(?:--[^\n]*|\s)+/g,
      (_all, quoted: string | undefined) => quoted ?? ' ',
    )
    .trim();
