/**
 * Builds the command as it is packed, into a folder (default dist/command): one script with what it needs
 * beside it, except the store's native module. `<folder>.packages.json` lists the packages in it. Usage:
 * `node bin/build.ts [folder]`
 */
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { builtThread, listPackages, nodeBundle, replaceInFiles, root } from './packing/bundle.ts';

/** Paths that exist only in a checkout. */
const pathsAsPacked = replaceInFiles({
  ...builtThread,
  '/bin/console-folder.ts': [`'../dist/console'`, `'../console'`],
});

export async function buildCommand(folder: string): Promise<void> {
  const packages = listPackages();
  await build(
    nodeBundle({
      folder,
      input: { muster: join(root, 'bin/entry.js'), 'store-thread': join(root, 'broker/store-thread.ts') },
      format: 'es',
      // In one folder, because files that find their neighbors by their own address must not be in
      // subfolders.
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
      emptyOutDir: true,
      plugins: [pathsAsPacked, packages.plugin],
    }),
  );
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'muster', private: true, type: 'module' }),
  );
  await writeFile(`${folder}.packages.json`, JSON.stringify(packages.folders()));
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await buildCommand(resolve(process.argv[2] ?? join(root, 'dist/command')));
