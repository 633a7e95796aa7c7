import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readLoginPath } from './login-path.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-login-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function shell(text: string): { SHELL: string; HOME: string } {
  const path = join(folder, 'shell');
  writeFileSync(path, `#!/bin/sh\n${text}`);
  chmodSync(path, 0o755);
  return { SHELL: path, HOME: folder };
}

/** Processes of this shell: of one that was started the system knows from the moment that starting it returned. */
const shells = (path: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(path);
      } catch {
        return false;
      }
    });

test('is what the login shell exports, not what its start-up files print', async () => {
  const env = shell('echo "PATH=/not/this"\nPATH=/own/bin:$PATH exec /bin/sh -c "$2"\n');
  expect(await readLoginPath('linux', env, 100_000)).toMatch(/^\/own\/bin:/);
});

test('is not known when the shell does not answer in time, and the shell is ended', async () => {
  const env = shell('sleep 1000\n');
  const reading = readLoginPath('linux', env, 500);
  // Two for a moment: its own child has its name until it is the program that sleeps.
  expect(shells(env.SHELL)).not.toEqual([]);
  expect(await reading).toBeNull();
  await expect.poll(() => shells(env.SHELL)).toEqual([]);
});

test('is known when the answer lay there in time, and only this process stood still', async () => {
  const env = shell(`PATH=/own/bin:$PATH /bin/sh -c "$2"\n: > "${folder}/answered"\n`);
  const reading = readLoginPath('linux', env, 1);
  const still = new Int32Array(new SharedArrayBuffer(4));
  while (!existsSync(join(folder, 'answered'))) Atomics.wait(still, 0, 0, 10);
  expect(await reading).toMatch(/^\/own\/bin:/);
});

test('is not known without such a shell, and on Windows', async () => {
  expect(await readLoginPath('linux', { SHELL: join(folder, 'none') })).toBeNull();
  expect(await readLoginPath('win32', {})).toBeNull();
});
