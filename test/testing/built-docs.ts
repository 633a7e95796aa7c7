/** The documentation site as it is packed. */
import { join } from 'node:path';
import { buildOnce, root } from './build-once.ts';

/** Returns the folder. */
export const builtDocs = (): Promise<string> =>
  buildOnce({
    name: 'docs',
    // The build changes docs/.vitepress itself.
    sources: [
      'docs/guides',
      'docs/specification',
      'docs/public',
      'docs/index.md',
      'docs/build-site.ts',
      'docs/.vitepress/config.ts',
      'package.json',
    ],
    command: [join(root, 'docs/build-site.ts')],
  });
