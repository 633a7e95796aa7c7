/** A file system that can be filled, and a file that is mounted by itself; only root can create them, on Linux. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { describe, onTestFinished } from 'vitest';

/** A root without the right to mount, as in many containers, cannot either. */
function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const folder = mkdtempSync(join(tmpdir(), 'muster-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', folder], { stdio: 'ignore' });
    execFileSync('umount', ['--lazy', folder]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Describes tests that need `smallDisk` or `mountOnItself`. If neither works, they are skipped, and their title says what they need. */
export function describeWithSmallDisk(title: string, tests: () => void): void {
  if (canMount()) describe(title, tests);
  else describe.skip(`${title} (needs root on Linux and the right to mount: sudo -E npm test)`, tests);
}

/** Returns its folder. `size` is that of the mount option, such as `4m`. It is gone after the test. */
export async function smallDisk(size: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0700`, 'tmpfs', folder]);
  onTestFinished(async () => {
    execFileSync('umount', ['--lazy', folder]);
    await rm(folder, { recursive: true });
  });
  return folder;
}

/** Mounts the file on itself, as a container mounts a single file. The mount is gone when the scope of the value ends. */
export function mountOnItself(path: string): Disposable {
  execFileSync('mount', ['--bind', path, path]);
  return { [Symbol.dispose]: () => execFileSync('umount', ['--lazy', path]) };
}
