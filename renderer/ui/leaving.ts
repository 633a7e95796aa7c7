/** Holds the page back from being left while something on it is not saved. */
import { useBlocker } from '@tanstack/react-router';

export interface Leaving {
  /** The person wants to leave, and has to be asked. */
  isAsked: boolean;
  leave(): void;
  stay(): void;
}

export interface Step {
  /** A step through the history, instead of a link or a form that leads elsewhere. */
  isInHistory: boolean;
  /** The same screen with the same member beside it, with another filter or dialog in its address. */
  isSameScreen: boolean;
}

interface Place {
  pathname: string;
  search: object;
}

/** The member that is open beside the list is in the address. */
const openIn = ({ search }: Place): unknown => ('member' in search ? search.member : undefined);

const isSameScreen = (a: Place, b: Place): boolean => a.pathname === b.pathname && openIn(a) === openIn(b);

/**
 * `isKept` is asked at each step. A browser asks by itself when its tab is closed; the desktop's window is only hidden, and
 * would not ask.
 */
export function useLeaving(isKept: (step: Step) => boolean): Leaving {
  const blocked = useBlocker({
    shouldBlockFn: ({ action, current, next }) =>
      isKept({
        isInHistory: action !== 'PUSH' && action !== 'REPLACE',
        isSameScreen: isSameScreen(current, next),
      }),
    enableBeforeUnload: () =>
      window.muster === undefined && isKept({ isInHistory: true, isSameScreen: false }),
    withResolver: true,
  });
  return {
    isAsked: blocked.status === 'blocked',
    leave: () => blocked.proceed?.(),
    stay: () => blocked.reset?.(),
  };
}
