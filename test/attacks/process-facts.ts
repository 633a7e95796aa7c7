/** The operating system's facts about a process. */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/**
 * Returns the resident memory of a process in bytes: the most that it ever had where the system keeps that
 * figure, and otherwise what it has now.
 */
export async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const peak = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
  if (peak !== undefined) return Number(peak) * 1024;
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout) * 1024;
}

/** Returns the resident memory that a process has now, in bytes. */
export async function presentBytes(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout) * 1024;
}

/** Returns the number of open descriptors of a process; null where the system does not list them. */
export async function openDescriptors(pid: number): Promise<number | null> {
  return readdir(`/proc/${pid}/fd`).then(
    ({ length }) => length,
    () => null,
  );
}
