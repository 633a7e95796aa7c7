import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/agents/**/*.agents.test.ts'],
    // The real one would be fetched.
    alias: [
      {
        find: /^electron$/,
        replacement: fileURLToPath(new URL('./test/standin/electron.ts', import.meta.url)),
      },
    ],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
