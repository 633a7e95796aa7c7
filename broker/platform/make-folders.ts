/** Creates folders, and knows which of them are new. */
import { mkdir, rmdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { codeOf } from './error-text.ts';

/**
 * Creates a folder with mode 0700 and the missing ones above it. Returns those that it created, outermost first.
 * Node's own recursive `mkdir` never returns where the system answers ENOENT below an existing folder, as in `/proc`.
 * @throws the system's error, with nothing left behind.
 */
export async function makeFolders(folder: string): Promise<string[]> {
  const made: string[] = [];
  try {
    for (const missing of await missingFolders(folder)) if (await make(missing)) made.push(missing);
    return made;
  } catch (error) {
    await removeEmptyFolders(made);
    throw error;
  }
}

/** Removes folders as `makeFolders` returned them, except those that somebody has put something into. */
export async function removeEmptyFolders(folders: readonly string[]): Promise<void> {
  for (const folder of folders.toReversed()) await rmdir(folder).catch(() => undefined);
}

/** Outermost first. */
async function missingFolders(folder: string): Promise<string[]> {
  const missing: string[] = [];
  for (let at = resolve(folder); !(await isThere(at)); at = dirname(at)) missing.unshift(at);
  return missing;
}

async function isThere(path: string): Promise<boolean> {
  try {
    // The slash makes the system answer ENOTDIR for a file.
    await stat(`${path}/`);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** False if somebody else came first. */
async function make(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    await stat(`${folder}/`);
    return false;
  }
}
