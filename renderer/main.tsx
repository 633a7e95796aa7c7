/** The entry point of the console: theme, transport, and the app. */
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { browserTransport } from './data/browser-transport.ts';
import type { Transport } from './data/transport.ts';
import { applyTheme, storedTheme } from './shell/theme.ts';
import './styles/app.css';

applyTheme(storedTheme());
const root = document.getElementById('root');
const [, linkCode] = /^#login=([\w-]+)$/.exec(location.hash) ?? [];
// Somebody who looks at the address or the history later finds no code.
if (linkCode !== undefined) history.replaceState(null, '', location.pathname + location.search);

/** A file that misses the places that take files would replace the console by its content. */
function refuseFile(event: DragEvent): void {
  if (event.defaultPrevented || event.dataTransfer?.types.includes('Files') !== true) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = 'none';
}
addEventListener('dragover', refuseFile);
addEventListener('drop', refuseFile);

/** The same build serves browsers and the window of the desktop app, which has the bridge. */
async function openTransport(): Promise<Transport> {
  if (window.muster === undefined) return browserTransport();
  return (await import('./data/desktop-transport.ts')).desktopTransport(window.muster);
}

async function start(place: HTMLElement): Promise<void> {
  const transport = await openTransport();
  if (linkCode !== undefined) await (await import('./shell/link-login.ts')).logInByLink(transport, linkCode);
  createRoot(place).render(
    <StrictMode>
      <App transport={transport} />
    </StrictMode>,
  );
}

// Not awaited here, because what it imports waits for this module.
if (root !== null) void start(root);
