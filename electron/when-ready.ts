/** When a hidden window has something to show. */

interface Ready {
  once(event: 'ready-to-show' | 'show' | 'closed', listener: () => void): unknown;
  isDestroyed(): boolean;
  webContents: { once(event: 'did-finish-load', listener: () => void): unknown };
}

/** A page that does not load must not keep its window away, because the window shows what is wrong. */
const limitMs = 2000;

/**
 * Calls `show` once: when the page was painted or loaded, or after two seconds. On Wayland, the engine does not
 * paint windows that are hidden, so `ready-to-show` never comes. Once the window is shown by anything else, `show`
 * is not called, because the person may have hidden it since.
 */
export function whenReady(window: Ready, show: () => void): void {
  let isOver = false;
  const end = (): void => {
    isOver = true;
    clearTimeout(timer);
  };
  const onReady = (): void => {
    if (isOver || window.isDestroyed()) return;
    end();
    show();
  };
  const timer = setTimeout(onReady, limitMs);
  window.once('ready-to-show', onReady);
  window.webContents.once('did-finish-load', onReady);
  window.once('show', end);
  window.once('closed', end);
}
