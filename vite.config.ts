import process from 'node:process';
import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// Without this, React would be built with its development checks under a test runner: larger, and at half the
// speed.
process.env.NODE_ENV = 'production';

/** The console: one page with hashed files and nothing inline, so that the strictest policy holds. */
export default defineConfig({
  root: fileURLToPath(new URL('./renderer', import.meta.url)),
  publicDir: 'public',
  plugins: [react(), tailwindcss()],
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
        sw: fileURLToPath(new URL('./renderer/sw.ts', import.meta.url)),
      },
      output: {
        entryFileNames: ({ name }) => (name === 'sw' ? 'sw.js' : 'assets/[name]-[hash].js'),
        chunkFileNames: 'assets/[name]-[hash].js',
        assetFileNames: 'assets/[name]-[hash][extname]',
      },
    },
  },
});
