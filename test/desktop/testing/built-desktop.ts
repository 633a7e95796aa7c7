/** The app as it is packed. */
import { join } from 'node:path';
import { buildOnce, root } from '../../testing/build-once.ts';

/** Returns the folder. */
export const builtDesktop = (): Promise<string> =>
  buildOnce({
    name: 'desktop',
    sources: [
      'electron',
      'broker',
      'renderer',
      'runner/agents',
      'bin/packing',
      'vite.config.ts',
      'package.json',
    ],
    command: [join(root, 'electron', 'build.ts')],
  });
