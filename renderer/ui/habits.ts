/** The habits that hold for every screen (specification/console.md#habits). */
import { useEffect } from 'react';
import { keepFocus } from './keep-focus.ts';
import { ignoreSecondPresses } from './second-press.ts';

/** Shows nothing. */
export function Habits(): null {
  useEffect(keepFocus, []);
  useEffect(ignoreSecondPresses, []);
  return null;
}
