/** The two functions that are used here; the package has no types. */
declare module 'js-yaml' {
  export function load(text: string): unknown;
  /** `lineWidth` -1: long texts stay in one line. */
  export function dump(value: object, options: { lineWidth: number }): string;
}
