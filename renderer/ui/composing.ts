/** Keys that belong to an input method, which composes letters such as those of Japanese. */

/** Safari ends the composition before it reports the key that ended it, with the code 229. */
export const isComposing = ({ isComposing: isNow, keyCode }: KeyboardEvent): boolean =>
  isNow || keyCode === 229;
