import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
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

test('is what the login shell exports, not what its start-up files print', async () => {
  const env = shell('echo "PATH=/not/this"\nPATH=/own/bin:$PATH exec /bin/sh -c "$2"\n');
  expect(await readLoginPath('linux', env)).toMatch(/^\/own\/bin:/);
});

test('is not known when the shell does not answer in time, and the shell is ended', async () => {
  const env = shell(`echo $$ > "${folder}/pid"\nsleep 1000\n`);
  expect(await readLoginPath('linux', env, 500)).toBeNull();
  expect(existsSync(join(folder, 'pid'))).toBe(true);
  const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
  const isGone = () => {
    try {
      process.kill(pid, 0);
      return readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
    } catch {
      return true;
    }
  };
  await expect.poll(isGone).toBe(true);
});

test('is not known without such a shell, and on Windows', async () => {
  expect(await readLoginPath('linux', { SHELL: join(folder, 'none') })).toBeNull();
  expect(await readLoginPath('win32', {})).toBeNull();
});
