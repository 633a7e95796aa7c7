/**
 * Builds the app into a folder (default `dist/desktop`): the main process and its threads as modules with
 * everything that they import, the preload script as one CommonJS file, and the console. `<folder>.packages.json` lists
 * the packages in them. Usage: `node electron/build.ts [folder]`
 */
import { rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import {
  builtThreads,
  consoleBundle,
  listPackages,
  nodeBundle,
  replaceInFiles,
  root,
} from '../bin/packing/bundle.ts';

/** The code that starts this thread is loaded only by a machine that stands by, so it is one folder deeper. */
const threadsOfChunks: typeof builtThreads = {
  '/broker/standby/term.ts': [`new URL('./fold-thread.ts'`, `new URL('../fold-thread.js'`],
};

export async function buildDesktop(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  const packages = listPackages();
  const parts = {
    folder,
    chunkFileNames: 'chunks/[name]-[hash].js',
    emptyOutDir: false,
    plugins: [replaceInFiles({ ...builtThreads, ...threadsOfChunks }), packages.plugin],
  };
  const input = {
    main: join(root, 'electron/main.ts'),
    'store-thread': join(root, 'broker/store-thread.ts'),
    'fold-thread': join(root, 'broker/standby/fold-thread.ts'),
  };
  await build(nodeBundle({ ...parts, input, format: 'es', entryFileNames: '[name].js' }));
  const preload = { preload: join(root, 'electron/preload.ts') };
  await build(nodeBundle({ ...parts, input: preload, format: 'cjs', entryFileNames: '[name].cjs' }));
  await build(consoleBundle(join(folder, 'console'), packages));
  await writeFile(`${folder}.packages.json`, JSON.stringify(packages.folders()));
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await buildDesktop(resolve(process.argv[2] ?? join(root, 'dist/desktop')));
