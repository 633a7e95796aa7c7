import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { leftOutVariable, type Project, projects } from './test/tiers.ts';

// Each broker under test starts threads, which would compile the same files again; a start takes half of the time with this.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('./node_modules/.cache/tests', import.meta.url));

/** These timeouts prevent an endless wait and are no claim about speed, because the machine may be busy. */
const patience = {
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000, interval: 20 } },
};

const leftOut = JSON.parse(process.env[leftOutVariable] ?? '[]') as string[];

const projectOf = ([name, { include, exclude, tier, isPure, sharesProcesses, runsAlone }]: [
  string,
  Project,
]) => ({
  extends: true as const,
  test: {
    name,
    include: [...include],
    exclude: [...exclude, ...leftOut, '**/node_modules/**'],
    pool: isPure ? ('threads' as const) : ('forks' as const),
    isolate: sharesProcesses !== true,
    ...(runsAlone && { fileParallelism: false, sequence: { groupOrder: 1 } }),
    setupFiles: tier === 'fast' ? ['./test/testing/fixed-seeds.ts'] : [],
    ...patience,
  },
});

export default defineConfig({
  test: {
    // Importing the real one would download it.
    alias: [
      {
        find: /^electron$/,
        replacement: fileURLToPath(new URL('./test/standin/electron.ts', import.meta.url)),
      },
    ],
    maxWorkers: 2,
    projects: Object.entries(projects).map(projectOf),
  },
});
