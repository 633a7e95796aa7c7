/**
 * Builds the command as it is packed, into a folder (default dist/command): one script with everything that it needs
 * beside it. `<folder>.packages.json` lists the packages in it. Usage:
 * `node bin/build.ts [folder]`
 */
import { cp, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'vite';
import { builtThreads, listPackages, nodeBundle, replaceInFiles, root } from './packing/bundle.ts';

/** Paths that exist only in a checkout. */
const pathsAsPacked = replaceInFiles({
  ...builtThreads,
  '/bin/console-folder.ts': [`'../dist/console'`, `'../console'`],
});

/**
 * The package with the store's native module travels in the folder of the command, under its own name: npm leaves out
 * folders that are called node_modules, and nothing is to be installed beside the command.
 */
const storePackage = 'better-sqlite3';
const storeBeside: Plugin = {
  name: 'store-beside',
  renderChunk: (code) => ({
    code: code.replaceAll(`from "${storePackage}"`, `from "./${storePackage}/lib/index.js"`),
    map: null,
  }),
};

async function copyStorePackage(folder: string): Promise<void> {
  for (const name of ['package.json', 'LICENSE', 'lib', 'prebuilds'])
    await cp(join(root, 'node_modules', storePackage, name), join(folder, storePackage, name), {
      recursive: true,
    });
}

export async function buildCommand(folder: string): Promise<void> {
  const packages = listPackages();
  await build(
    nodeBundle({
      folder,
      input: {
        muster: join(root, 'bin/entry.js'),
        'store-thread': join(root, 'broker/store-thread.ts'),
        'fold-thread': join(root, 'broker/standby/fold-thread.ts'),
      },
      format: 'es',
      // In one folder, because files that find their neighbors by their own address must not be in
      // subfolders.
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
      emptyOutDir: true,
      plugins: [pathsAsPacked, storeBeside, packages.plugin],
    }),
  );
  await copyStorePackage(folder);
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'muster', private: true, type: 'module' }),
  );
  await writeFile(`${folder}.packages.json`, JSON.stringify(packages.folders()));
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await buildCommand(resolve(process.argv[2] ?? join(root, 'dist/command')));
