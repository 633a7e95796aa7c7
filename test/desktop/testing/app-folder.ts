/** The built app in a folder of its own: a later change of the sources builds anew under the feet of whoever runs it. */
import { cpSync, existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../../testing/build-once.ts';
import { builtDesktop } from './built-desktop.ts';

export interface AppFolder {
  appPath: string;
  /** URL of its first file. */
  main: string;
}

/** Inside `home`; once made it is brought up to date. */
export async function prepareAppFolder(home: string): Promise<AppFolder> {
  const appPath = join(home, 'app');
  const folder = join(appPath, 'dist', 'desktop');
  cpSync(await builtDesktop(), folder, { recursive: true });
  for (const name of ['package.json', 'node_modules', 'bin', 'resources'])
    if (!existsSync(join(appPath, name))) symlinkSync(join(root, name), join(appPath, name));
  return { appPath, main: pathToFileURL(join(folder, 'main.js')).href };
}
