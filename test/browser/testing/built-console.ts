/** The console as it is served. */
import { join } from 'node:path';
import { buildOnce, root } from '../../testing/build-once.ts';

export const consoleFolder = join(root, 'dist', 'console');

/** Returns the folder. */
export const builtConsole = (): Promise<string> =>
  buildOnce({
    name: 'console',
    sources: ['renderer', 'broker/protocol', 'runner/agents', 'vite.config.ts', 'package.json'],
    command: [join(root, 'node_modules', 'vite', 'bin', 'vite.js'), 'build', '--logLevel', 'error'],
  });
