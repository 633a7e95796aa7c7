/** The addresses that belong to the console (specification/desktop.md#renderer-and-security). */

export const consoleScheme = 'muster';
export const consoleOrigin = `${consoleScheme}://console`;

/**
 * Whether the address is the console's. It compares the parts, because `URL.origin` is "null" for schemes
 * that Node does not know.
 */
export function isConsoleUrl(address: string): boolean {
  const url = parsed(address);
  return (
    url !== null &&
    url.protocol === `${consoleScheme}:` &&
    url.host === 'console' &&
    url.username === '' &&
    url.password === ''
  );
}

export type Navigation = { kind: 'stay' } | { kind: 'ask'; host: string; url: string } | { kind: 'refuse' };

/**
 * Returns where a link or a script may lead a window: inside the console, to the system's browser after a question,
 * or nowhere.
 */
export function navigationOf(address: string): Navigation {
  if (isConsoleUrl(address)) return { kind: 'stay' };
  const url = parsed(address);
  if (url === null || url.protocol !== 'https:' || url.username !== '' || url.password !== '')
    return { kind: 'refuse' };
  return { kind: 'ask', host: url.host, url: url.href };
}

export interface Sender {
  isOwnWindow: boolean;
  isMainFrame: boolean;
  /** The address of the frame as Electron reports it; null if the frame is gone. */
  url: string | null;
}

/** Whether the sender may use the bridge. */
export const isTrustedSender = ({ isOwnWindow, isMainFrame, url }: Sender): boolean =>
  isOwnWindow && isMainFrame && url !== null && isConsoleUrl(url);

function parsed(address: string): URL | null {
  return URL.canParse(address) ? new URL(address) : null;
}
