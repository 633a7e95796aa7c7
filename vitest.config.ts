import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{broker,runner,bin,test}/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
