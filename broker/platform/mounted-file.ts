/** A file that is mounted by itself, as a container does with a single file. No rename can replace it. */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import process from 'node:process';
import { codeOf } from './error-text.ts';

/** The first two come from the rename. The others come before it if the mounted file is in a folder that nobody can write to. */
const causes = ['EBUSY', 'EXDEV', 'EPERM', 'EACCES', 'EROFS'];

/** Has the code of the system's error, and a message that names the cause and the remedy. */
export class MountedFileError extends Error {
  readonly code: string;
  readonly syscall = 'rename';

  constructor(path: string, code: string) {
    super(
      `"${path}" is mounted as a single file, so it cannot be replaced (${code}). ${mountFolderInstead(path)}`,
    );
    this.code = code;
  }
}

/** The remedy as a sentence. */
export const mountFolderInstead = (path: string): string =>
  `Mount the folder that contains "${basename(path)}" instead of the file.`;

/**
 * Whether the file is a mount point in this process's view. Linux lists mount points. A bind mount from the same file system has the
 * device of its folder, so the device decides only if there is no list. False if there is no file.
 */
export function isMountedFile(path: string): boolean {
  if (process.platform === 'win32') return false;
  try {
    const target = realpathSync(path);
    const file = statSync(target);
    if (!file.isFile()) return false;
    const mountPoints = readMountPoints();
    return mountPoints === null ? file.dev !== statSync(dirname(target)).dev : mountPoints.includes(target);
  } catch {
    return false;
  }
}

/** Returns what to throw for an error of replacing the file: a `MountedFileError` if that is the cause, else the error itself. */
export function orMountedFile(error: unknown, path: string): unknown {
  const code = codeOf(error);
  return code !== undefined && causes.includes(code) && isMountedFile(path)
    ? new MountedFileError(path, code)
    : error;
}

/** Null if the system has no list. Spaces, tabs, newlines, and backslashes are octal there (proc_pid_mountinfo(5)). */
function readMountPoints(): string[] | null {
  let text: string;
  try {
    text = readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    return null;
  }
  return text
    .split('\n')
    .map((line) =>
      (line.split(' ')[4] ?? '').replace(/\\([0-7]{3})/g, (_, octal: string) =>
        String.fromCharCode(Number.parseInt(octal, 8)),
      ),
    );
}
