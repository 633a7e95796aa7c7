/**
 * On macOS, the app is in the dock and has a menu bar while one of its windows is open. The packed app starts
 * without both, because it lives in the menu bar.
 */

interface Dock {
  show(): Promise<void>;
  hide(): void;
}

interface Shown {
  on(event: 'show' | 'hide' | 'closed', listener: () => void): unknown;
}

/** `dock` is undefined on other systems. Returns the function that every new window is passed to. */
export function followInDock(dock: Dock | undefined): (window: Shown) => void {
  const shown = new Set<Shown>();
  const gone = (window: Shown) => (): void => {
    if (shown.delete(window) && shown.size === 0) dock?.hide();
  };
  return (window) => {
    window.on('show', () => {
      const isFirst = shown.size === 0;
      shown.add(window);
      // The system may refuse; the window is there all the same.
      if (isFirst) dock?.show().catch(() => undefined);
    });
    window.on('hide', gone(window));
    window.on('closed', gone(window));
  };
}
