import { fileURLToPath } from 'node:url';

/** Where the built console is. In the packed command it is elsewhere: its build replaces this path. */
export const consoleFolder = fileURLToPath(new URL('../dist/console', import.meta.url));
