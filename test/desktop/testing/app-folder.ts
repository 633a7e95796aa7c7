/**
 * The built app in a folder of its own, because a later change of the sources would rebuild it while it runs.
 */
import { cpSync, existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../../testing/build-once.ts';
import { builtDesktop } from './built-desktop.ts';

export interface AppFolder {
  appPath: string;
  /** The URL of its first file. */
  main: string;
}

export const appFolder = (appPath: string): AppFolder => ({
  appPath,
  main: pathToFileURL(join(appPath, 'dist', 'desktop', 'main.js')).href,
});

/** Creates the folder in `home`, or updates it. */
export async function prepareAppFolder(home: string): Promise<AppFolder> {
  const appPath = join(home, 'app');
  const folder = join(appPath, 'dist', 'desktop');
  cpSync(await builtDesktop(), folder, { recursive: true });
  for (const name of ['package.json', 'node_modules', 'bin', 'resources', join('dist', 'docs')])
    if (!existsSync(join(appPath, name))) symlinkSync(join(root, name), join(appPath, name));
  return appFolder(appPath);
}
