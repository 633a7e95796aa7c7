/** A person's home in a folder: where everything of the app is on this system, and nothing of the real home. */
import { join } from 'node:path';
import process from 'node:process';
import { type AppPaths, appPaths } from '#protocol/paths.ts';

/** The variables of all systems by which programs find their folders. */
const foldersOf = (home: string): Record<string, string> => ({
  HOME: home,
  USERPROFILE: home,
  APPDATA: join(home, 'config'),
  LOCALAPPDATA: join(home, 'data'),
  XDG_CONFIG_HOME: join(home, 'config'),
  XDG_DATA_HOME: join(home, 'data'),
  XDG_STATE_HOME: join(home, 'state'),
  XDG_CACHE_HOME: join(home, 'cache'),
});

/** Returns what differs from this process's own environment: Muster's variables of the person who runs the tests are unset. */
export function homeEnvironment(home: string): Record<string, string | undefined> {
  const inherited = Object.keys(process.env).filter((name) => /^SVC_/i.test(name));
  return { ...Object.fromEntries(inherited.map((name) => [name, undefined])), ...foldersOf(home) };
}

export const homePaths = (home: string): AppPaths =>
  appPaths({ platform: process.platform, env: foldersOf(home), home });

/** The mode of a file that only its owner can read. Windows has no such modes. */
export const privateMode = process.platform === 'win32' ? 0o666 : 0o600;
