/** How the programs that run on Node are bundled, and which packages end up in a bundle. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { InlineConfig, Plugin } from 'vite';
import { packageFolderOf } from './bundled-packages.rules.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Stay outside of every bundle: what the engine provides, and the package with the store's native module. */
const external = ['electron', 'better-sqlite3', 'vite'];

export interface NodeBundle {
  folder: string;
  /** The entry files by the names of the built ones. */
  input: Record<string, string>;
  format: 'es' | 'cjs';
  /** The names of files in the folder, in the bundler's notation. */
  entryFileNames: string;
  chunkFileNames: string;
  emptyOutDir: boolean;
  plugins: Plugin[];
}

/** Everything that the entries import is in the bundle, except `external`. */
export const nodeBundle = ({ folder, input, format, plugins, ...given }: NodeBundle): InlineConfig => ({
  configFile: false,
  root,
  logLevel: 'warn',
  plugins,
  ssr: { external, noExternal: true },
  build: {
    ssr: true,
    outDir: folder,
    emptyOutDir: given.emptyOutDir,
    target: 'node24',
    minify: false,
    rolldownOptions: {
      input,
      external,
      output: { format, entryFileNames: given.entryFileNames, chunkFileNames: given.chunkFileNames },
    },
  },
});

export interface PackageList {
  /** Collects from each build that it is a plugin of. */
  plugin: Plugin;
  /** The folders of the packages in these builds, relative to the root and sorted. */
  folders(): string[];
}

export function listPackages(): PackageList {
  const found = new Set<string>();
  return {
    plugin: {
      name: 'list-packages',
      generateBundle(_options, bundle) {
        for (const file of Object.values(bundle))
          for (const id of file.type === 'chunk' ? file.moduleIds : []) {
            const folder = packageFolderOf(id, root);
            if (folder !== null) found.add(folder);
          }
      },
    },
    folders: () => [...found].sort(),
  };
}

export const consoleBundle = (folder: string, packages: PackageList): InlineConfig => ({
  configFile: join(root, 'vite.config.ts'),
  logLevel: 'warn',
  plugins: [packages.plugin],
  build: { outDir: folder },
});

/** Replaces texts in single files, for example paths that exist only in a checkout: by the end of the file's path, from what to what. */
export const replaceInFiles = (changes: Record<string, [from: string, to: string]>): Plugin => ({
  name: 'replace-in-files',
  enforce: 'pre',
  transform(code, id) {
    const found = Object.entries(changes).find(([name]) => id.endsWith(name));
    if (found === undefined) return null;
    const [name, [from, to]] = found;
    if (!code.includes(from)) throw new Error(`${name} no longer names ${from}`);
    return { code: code.replace(from, to), map: null };
  },
});

/** Threads are started by their file names, and the built files are JavaScript. */
export const builtThreads: Record<string, [from: string, to: string]> = {
  '/broker/open-stores.ts': [`new URL('./store-thread.ts'`, `new URL('./store-thread.js'`],
  '/broker/standby/term.ts': [`new URL('./fold-thread.ts'`, `new URL('./fold-thread.js'`],
};
