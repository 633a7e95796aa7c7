import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{broker,runner,bin,test}/**/*.test.ts'],
    // The real agents: npm run test:agents.
    exclude: ['**/*.agents.test.ts', '**/node_modules/**'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
