/** The stores that a configuration names (docs/specification/configuration.md#stores). */
import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';

/** As svc.json names them: relative to its folder, or absolute. */
export interface StoresBlock {
  main?: string | undefined;
  activity?: string | undefined;
}

/** Absolute paths, or `:memory:`. Null: nothing names this store. */
export interface NamedStores {
  main: string | null;
  activity: string | null;
}

export const inMemory = ':memory:';

function placeOf(configPath: string, written: unknown): string | null {
  if (typeof written !== 'string' || written === '') return null;
  return written === inMemory ? inMemory : resolve(dirname(resolve(configPath)), written);
}

/** Names nothing if the text is not a configuration; a start reports that. */
export function storesIn(configPath: string, text: string): NamedStores {
  try {
    const { stores } = JSON.parse(text.replace(/^\ufeff/, '')) as { stores?: Record<string, unknown> | null };
    return { main: placeOf(configPath, stores?.main), activity: placeOf(configPath, stores?.activity) };
  } catch {
    return { main: null, activity: null };
  }
}

/** Names nothing without a file that can be read; a start reports that. */
export function configuredStores(configPath: string): NamedStores {
  try {
    return storesIn(configPath, readFileSync(configPath, 'utf8'));
  } catch {
    return { main: null, activity: null };
  }
}

/** Returns what tells a file from others on its machine without its path; null without a file. */
export const fileIdOf = (path: string): Promise<string | null> =>
  stat(path, { bigint: true }).then(
    ({ dev, ino }) => `${dev}:${ino}`,
    () => null,
  );

/** Whether a path is inside a folder, at any depth. Both are absolute. */
export function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && !isAbsolute(way) && way.split(/[\\/]/)[0] !== '..';
}

/** Returns the block for stores in files; undefined if both are in memory. */
export function storesBlock(configPath: string, { main, activity }: NamedStores): StoresBlock | undefined {
  const folder = dirname(resolve(configPath));
  const written = (path: string): string => {
    const absolute = resolve(path);
    return isBelow(folder, absolute) ? relative(folder, absolute).split(sep).join('/') : absolute;
  };
  const named = {
    ...(main !== null && main !== inMemory && { main: written(main) }),
    ...(activity !== null && activity !== inMemory && { activity: written(activity) }),
  };
  return Object.keys(named).length === 0 ? undefined : named;
}
