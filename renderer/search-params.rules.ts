/**
 * Reads the search parameters of a screen's address. A parameter that does not have its form counts as absent,
 * because anybody can write an address.
 */
type Read<Value> = (value: unknown) => Value | undefined;

/** A text. The router reads digits as a number, so a number is a text, too. */
export const word: Read<string> = (value) =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;

export const flag: Read<boolean> = (value) => (typeof value === 'boolean' ? value : undefined);

/** An instant in epoch milliseconds, or the id of a row. */
export const number: Read<number> = (value) =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

/** One of these words. */
export const oneOf =
  <const Word extends string>(...words: readonly Word[]): Read<Word> =>
  (value) =>
    words.find((word) => word === value);

/** Returns the function that reads exactly these parameters, and leaves out all others. */
export const searchParams =
  <Reads extends Record<string, Read<unknown>>>(reads: Reads) =>
  (raw: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(reads).map(([name, read]) => [name, read(raw[name])])) as {
      [Name in keyof Reads]?: ReturnType<Reads[Name]>;
    };
