/**
 * Bounds the combining marks on one letter, because thousands of them stop a page for seconds. Code that shows a text
 * bounds it; the stored text stays as it is.
 */
import { counted } from './counted.ts';

/** As many as Unicode's Stream-Safe Text Format allows (UAX #15), which is more than any language needs. */
const tooMany = /([\p{M}\p{Default_Ignorable_Code_Point}]{30})([\p{M}\p{Default_Ignorable_Code_Point}]+)/gv;

/** Returns the text with at most 30 marks on a letter, and says how many more are hidden. */
export const boundMarks = (text: string): string =>
  text.replace(
    tooMany,
    (_, kept: string, hidden: string) => `${kept}…(${counted([...hidden].length, 'mark')} hidden)`,
  );
