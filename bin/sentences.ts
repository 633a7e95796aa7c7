/** Joins texts into sentences: each one ends with a period unless it already ends a sentence. */
export const sentences = (...texts: string[]): string =>
  texts.map((text) => (/[.!?…]$/.test(text) ? text : `${text}.`)).join(' ');
