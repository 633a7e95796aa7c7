/** Which addresses are the console's own (design "Renderer and security"). */

export const consoleScheme = 'muster';
export const consoleOrigin = `${consoleScheme}://console`;

/** Exactly the console. `URL.origin` is "null" for schemes that Node does not know, so the parts are compared. */
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

/** Where a link or a script may take a window: inside the console, or after a question to the system's browser, or nowhere. */
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
  /** Of the frame as the engine has it; null when the frame is gone. */
  url: string | null;
}

/** Who may speak over the bridge. */
export const isTrustedSender = ({ isOwnWindow, isMainFrame, url }: Sender): boolean =>
  isOwnWindow && isMainFrame && url !== null && isConsoleUrl(url);

function parsed(address: string): URL | null {
  return URL.canParse(address) ? new URL(address) : null;
}
