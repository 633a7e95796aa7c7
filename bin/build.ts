/**
 * Builds the command as it is packed, into a folder (default dist/command): one script with what it needs
 * beside it, except the store's native module. `node bin/build.ts [folder]`
 */
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Paths that exist only in a checkout. */
const packedPaths: Record<string, [from: string, to: string]> = {
  '/broker/open-stores.ts': [`new URL('./store-thread.ts'`, `new URL('./store-thread.js'`],
  '/bin/console-folder.ts': [`'../dist/console'`, `'./console'`],
};

const pathsAsPacked: Plugin = {
  name: 'paths-as-packed',
  enforce: 'pre',
  transform(code, id) {
    const found = Object.entries(packedPaths).find(([name]) => id.endsWith(name));
    if (found === undefined) return null;
    const [name, [from, to]] = found;
    if (!code.includes(from)) throw new Error(`${name} no longer names ${from}`);
    return { code: code.replace(from, to), map: null };
  },
};

export async function buildCommand(folder: string): Promise<void> {
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    plugins: [pathsAsPacked],
    ssr: { external: ['better-sqlite3'], noExternal: true },
    build: {
      ssr: true,
      outDir: folder,
      emptyOutDir: true,
      target: 'node26',
      minify: false,
      rolldownOptions: {
        input: { svc: join(root, 'bin/packed-svc.ts'), 'store-thread': join(root, 'broker/store-thread.ts') },
        external: ['better-sqlite3', 'vite'],
        // In one folder, because files that find their neighbors by their own address must not be in
        // subfolders.
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  });
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'svc', private: true, type: 'module' }),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await buildCommand(resolve(process.argv[2] ?? join(root, 'dist/command')));
