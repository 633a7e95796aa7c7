/** A folder on a file system of its own whose space can be taken away and given back. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const pageBytes = 4096;

export interface SmallDisk {
  readonly folder: string;
  /** Why its space cannot be taken away; null if it can. */
  readonly fault: string | null;
  /** Leaves no space, except what files have already. */
  fill(): Promise<void>;
  free(): Promise<void>;
  /** Deletes everything. */
  remove(): Promise<void>;
}

/**
 * Needs root on Linux; otherwise, it is an ordinary folder that nothing fills. `place`: an empty folder; by default, one
 * is created.
 */
export async function createSmallDisk(size = '1g', place?: string): Promise<SmallDisk> {
  const folder = place ?? (await mkdtemp(join(tmpdir(), 'muster-soak-')));
  const fault = await mount(folder, size);
  const resize = (to: string) => run('mount', ['-o', `remount,size=${to}`, folder]);

  return {
    folder,
    fault,
    async fill() {
      // The kernel refuses less than what is in use, which may have grown in the meantime.
      for (;;) {
        const { blocks, bfree, bsize } = await statfs(folder);
        const used = Math.ceil(((blocks - bfree) * bsize) / pageBytes) * pageBytes;
        const isFilled = await resize(String(used)).then(
          () => true,
          () => false,
        );
        if (isFilled) return;
      }
    },
    free: async () => void (await resize(size)),
    async remove() {
      if (fault === null) await run('umount', ['--lazy', folder]);
      await rm(folder, { recursive: true });
    },
  };
}

async function mount(folder: string, size: string): Promise<string | null> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'the disk does not become full, because only root on Linux can mount a small one';
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0700`, 'tmpfs', folder]);
    return null;
  } catch (error) {
    return `the disk does not become full, because none could be mounted: ${String(error)}`;
  }
}
