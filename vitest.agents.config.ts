import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/agents/**/*.agents.test.ts'],
    // Importing the real one would download it.
    alias: [
      {
        find: /^electron$/,
        replacement: fileURLToPath(new URL('./test/standin/electron.ts', import.meta.url)),
      },
    ],
    pool: 'forks',
    maxWorkers: 1,
    // Prevents an endless wait, as in vitest.config.ts; a real agent takes its time.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000, interval: 20 } },
  },
});
