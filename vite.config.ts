import process from 'node:process';
import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

// Without this, React would be built with its development checks under a test runner: larger, and at half the
// speed.
process.env.NODE_ENV = 'production';

/** Loads the script of the theme in the head, before anything is drawn: a module would run after the first paint. */
const themeAtOnce: Plugin = {
  name: 'theme-at-once',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle = {} }) => {
      const script = Object.values(bundle).find(({ name }) => name === 'theme-at-once');
      if (script === undefined) throw new Error('the script of the theme was not built');
      return [{ tag: 'script', attrs: { src: `/${script.fileName}` }, injectTo: 'head-prepend' }];
    },
  },
};

/** The modules of the frame and of the inbox. They and their static imports are one file, so that the inbox needs few requests. */
const atStart = ['main.tsx', 'shell/gate.tsx', 'shell/shell.tsx', 'features/inbox/inbox.screen.tsx'].map(
  (path) => fileURLToPath(new URL(`./renderer/${path}`, import.meta.url)),
);

/** The parts for which tests of the console wait. */
const named = new Set(['start', 'habits', 'keep-focus', 'permission-news', 'audit.screen']);

interface Modules {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null;
}

/** Returns the modules that the inbox needs, and everything that they import statically. */
function startModules(modules: Modules): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting = [...atStart];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    waiting.push(...(modules.getModuleInfo(id)?.importedIds ?? []));
  }
  return found;
}

/** The console: one page with hashed files and nothing inline, so that the strictest policy holds. */
export default defineConfig({
  root: fileURLToPath(new URL('./renderer', import.meta.url)),
  publicDir: 'public',
  plugins: [react(), tailwindcss(), themeAtOnce],
  resolve: {
    alias: { '#protocol': fileURLToPath(new URL('./broker/protocol', import.meta.url)) },
  },
  build: {
    outDir: fileURLToPath(new URL('./dist/console', import.meta.url)),
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    target: 'es2024',
    rolldownOptions: {
      input: {
        index: fileURLToPath(new URL('./renderer/index.html', import.meta.url)),
        'theme-at-once': fileURLToPath(new URL('./renderer/shell/theme-at-once.ts', import.meta.url)),
        sw: fileURLToPath(new URL('./renderer/sw.ts', import.meta.url)),
      },
      output: {
        codeSplitting: {
          groups: [{ name: (id, modules) => (startModules(modules).has(id) ? 'start' : null) }],
        },
        entryFileNames: ({ name }) => (name === 'sw' ? 'sw.js' : 'assets/[name]-[hash].js'),
        // The start lists the files that are loaded later, so that names would make it larger.
        chunkFileNames: ({ name }) => (named.has(name) ? 'assets/[name]-[hash].js' : 'assets/[hash:7].js'),
        assetFileNames: 'assets/[name]-[hash][extname]',
      },
    },
  },
});
