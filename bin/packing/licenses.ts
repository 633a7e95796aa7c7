/** The folder with the licenses of Muster and of everything that is in a bundle of it. */
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './bundle.ts';
import { thirdPartyNotices } from './notices.rules.ts';
import { readPackage } from './read-packages.ts';

/** Copied as they are, or built into a style sheet, which the bundler does not list. */
const otherPackages = ['node_modules/better-sqlite3', 'node_modules/tailwindcss'];

/**
 * @param folder is written anew.
 * @param lists the builds in `dist` that have a list of their packages beside them.
 */
export async function layOutLicenses(folder: string, lists: readonly string[]): Promise<void> {
  const read = lists.map(
    async (name): Promise<string[]> =>
      JSON.parse(await readFile(join(root, 'dist', `${name}.packages.json`), 'utf8')),
  );
  const packages = new Set([...(await Promise.all(read)).flat(), ...otherPackages]);
  const notices = thirdPartyNotices([...packages].map((name) => readPackage(join(root, name))));
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await copyFile(join(root, 'LICENSE'), join(folder, 'muster.txt'));
  await writeFile(join(folder, 'third-party.txt'), notices);
}
