import { fileURLToPath } from 'node:url';

/** Where the built console is. The packed command has it elsewhere: its build replaces this path. */
export const consoleFolder = fileURLToPath(new URL('../dist/console', import.meta.url));
