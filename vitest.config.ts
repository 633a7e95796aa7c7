import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{broker,electron,renderer,runner,bin,packing,test}/**/*.test.ts'],
    // The real agents have their own script: npm run test:agents.
    exclude: ['**/*.agents.test.ts', '**/node_modules/**'],
    // Importing the real one would download it.
    alias: [
      {
        find: /^electron$/,
        replacement: fileURLToPath(new URL('./test/standin/electron.ts', import.meta.url)),
      },
    ],
    pool: 'forks',
    maxWorkers: 2,
    // These timeouts prevent an endless wait and are no claim about speed, because the machine may be busy.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000, interval: 20 } },
  },
});
