/** The command as it is packed. */
import { join } from 'node:path';
import { buildOnce, root } from '../../testing/build-once.ts';

/** Returns the folder. */
export const builtCommand = (): Promise<string> =>
  buildOnce({
    name: 'command',
    sources: ['bin', 'broker', 'runner', 'packing', 'package.json'],
    command: [join(root, 'bin', 'build.ts')],
  });
