/** The entry point of the console: theme, transport, and the app. */
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { consoleTransport } from './data/desktop-transport.ts';
import { applyTheme, storedTheme } from './shell/theme.ts';
import './styles/app.css';

applyTheme(storedTheme());
const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App transport={consoleTransport()} />
    </StrictMode>,
  );
}
