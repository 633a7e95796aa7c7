/**
 * Builds the app into a folder (default `dist/desktop`): the main process and the stores' thread as modules,
 * the preload script as one CommonJS file, and the console. Usage: `node electron/build.ts [folder]`
 */
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { build, type InlineConfig, type Plugin } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The thread is started by its file name, and the built file is JavaScript. */
const threadName: Plugin = {
  name: 'built-thread',
  enforce: 'pre',
  transform(code, id) {
    if (!id.endsWith('/broker/open-stores.ts')) return null;
    const renamed = code.replace(`new URL('./store-thread.ts'`, `new URL('./store-thread.js'`);
    if (renamed === code) throw new Error('open-stores.ts no longer starts ./store-thread.ts');
    return { code: renamed, map: null };
  },
};

const common = { configFile: false, root, logLevel: 'warn' } satisfies InlineConfig;

export async function buildDesktop(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  const node = (input: Record<string, string>, format: 'es' | 'cjs', name: string): InlineConfig => ({
    ...common,
    plugins: [threadName],
    ssr: { external: ['electron'], ...(format === 'cjs' && { noExternal: true as const }) },
    build: {
      ssr: true,
      outDir: folder,
      emptyOutDir: false,
      target: 'node24',
      minify: false,
      rolldownOptions: {
        input,
        external: ['electron'],
        output: { format, entryFileNames: name, chunkFileNames: 'chunks/[name]-[hash].js' },
      },
    },
  });
  const main = { main: join(root, 'electron/main.ts'), 'store-thread': join(root, 'broker/store-thread.ts') };
  await build(node(main, 'es', '[name].js'));
  await build(node({ preload: join(root, 'electron/preload.ts') }, 'cjs', '[name].cjs'));
  await build({
    configFile: join(root, 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: join(folder, 'console') },
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await buildDesktop(resolve(process.argv[2] ?? join(root, 'dist/desktop')));
