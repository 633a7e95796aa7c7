/** Tests that each have a temporary home of their own, so that they can run side by side. */
import { test } from 'vitest';
import { createHome, type Home } from './command.ts';

export const it = test.extend<{ home: Home }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern what a fixture needs
  home: async ({}, use) => {
    const home = await createHome();
    await use(home);
    await home.remove();
  },
});
