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

/**
 * Returns the ids of the processes of this shell. The system lists a process as soon as the call that starts
 * it returns.
 */
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

test('reads what the login shell exports, not what its startup files print', async () => {
  const env = shell('echo "PATH=/not/this"\nPATH=/own/bin:$PATH exec /bin/sh -c "$2"\n');
  expect(await readLoginPath('linux', env, 100_000)).toMatch(/^\/own\/bin:/);
});

test('returns null and ends the shell if it does not answer in time', async () => {
  const env = shell('sleep 1000\n');
  const reading = readLoginPath('linux', env, 500);
  // There may briefly be two: a child of the shell has its name until it executes `sleep`.
  expect(shells(env.SHELL)).not.toEqual([]);
  expect(await reading).toBeNull();
  await expect.poll(() => shells(env.SHELL)).toEqual([]);
});

test('accepts an answer that arrived in time if only this process was suspended', async () => {
  const env = shell(`PATH=/own/bin:$PATH /bin/sh -c "$2"\n: > "${folder}/answered"\n`);
  const reading = readLoginPath('linux', env, 1);
  const still = new Int32Array(new SharedArrayBuffer(4));
  while (!existsSync(join(folder, 'answered'))) Atomics.wait(still, 0, 0, 10);
  expect(await reading).toMatch(/^\/own\/bin:/);
});

test('returns null without a login shell and on Windows', async () => {
  expect(await readLoginPath('linux', { SHELL: join(folder, 'none') })).toBeNull();
  expect(await readLoginPath('win32', {})).toBeNull();
});
