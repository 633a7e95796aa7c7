/** A file system that can be filled; only root can create one, on Linux. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { onTestFinished } from 'vitest';

export const canMount = process.platform === 'linux' && process.getuid?.() === 0;

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
