/** Dialogs that are in the address: Back closes one, and never opens one again. */
import { useRouter } from '@tanstack/react-router';

declare module '@tanstack/history' {
  interface HistoryState {
    /** The step opened a dialog over the screen of the step before. */
    isLayer?: true;
  }
}

/** For the link or the navigation that opens a dialog. */
export const openingLayer = { state: { isLayer: true } } as const;

/**
 * Returns how a dialog closes: the step that opened it is taken back. A dialog whose address was opened directly has no
 * such step, so `replace` is called, which must replace the address.
 */
export function useClosingLayer(): (replace: () => void) => void {
  const { history } = useRouter();
  return (replace) => {
    if (history.location.state.isLayer === true) history.back({ ignoreBlocker: true });
    else replace();
  };
}
