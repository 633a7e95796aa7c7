import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the built console. The build of the packed command replaces this path. */
export const consoleFolder = fileURLToPath(new URL('../dist/console', import.meta.url));

/** The folder of the built documentation, beside it. */
export const docsFolder = join(consoleFolder, '../docs');
