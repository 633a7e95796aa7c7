/**
 * On macOS, the app is in the dock and has a menu bar while the console is open. The packed app starts without
 * both, because it lives in the menu bar. The approval window leaves them as they are, because it must not take the
 * focus, which the dock gives to the app.
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
