/** When two definitions in a schema are the same. */

/**
 * Returns a statement without comments and line breaks, which changed between versions of Muster. Quoted text
 * stays as it is, so that nothing in it can pose as a comment.
 */
export const schemaText = (sql: string): string =>
  sql
    .replaceAll(
      /('(?:[^']|'')*'|"(?:[^"]|"")*")|(?:--[^\n]*|\s)+/g,
      (_all, quoted: string | undefined) => quoted ?? ' ',
    )
    .trim();
