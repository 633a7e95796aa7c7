/** Keys that belong to an input method, which composes letters such as those of Japanese. */
import type { KeyboardEvent } from 'react';

/** Safari ends the composition before it reports the key that ended it, with the code 229. */
export const isComposing = ({ nativeEvent: { isComposing: isNow, keyCode } }: KeyboardEvent): boolean =>
  isNow || keyCode === 229;
