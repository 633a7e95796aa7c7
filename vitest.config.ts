import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{broker,electron,renderer,runner,bin,test}/**/*.test.ts'],
    // The real agents: npm run test:agents.
    exclude: ['**/*.agents.test.ts', '**/node_modules/**'],
    // The real one would be fetched.
    alias: [
      {
        find: /^electron$/,
        replacement: fileURLToPath(new URL('./test/standin/electron.ts', import.meta.url)),
      },
    ],
    pool: 'forks',
    maxWorkers: 2,
    // A guard against waiting for ever, never a claim about speed: the machine may be busy with something else.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000, interval: 20 } },
  },
});
