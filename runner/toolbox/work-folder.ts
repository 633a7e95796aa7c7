/**
 * Files in the agent's working folder, for tools that move them to and from the team filesystem. The runner is
 * outside of the agent's sandbox and permission rules, so a path never leaves the folder, and hidden files,
 * such as `.git`, `.env`, and `.mcp.json`, are out of reach (specification/runner.md#files-of-the-working-folder).
 */
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { codeOf } from '#platform/error-text.ts';
import { inLine } from './plain-text.rules.ts';
import { ToolError } from './tool.ts';

export interface WorkFolder {
  /** Returns the path relative to the folder. @throws ToolError. */
  save(path: string, bytes: Uint8Array, overwrite: boolean): Promise<string>;
  /** @throws ToolError, also for a file of more than `maxBytes`. */
  read(path: string, maxBytes: number): Promise<Buffer>;
}

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Windows has no such flag; there, making a link needs a right that agents do not have. */
const noLink = O_NOFOLLOW ?? 0;

const isSame = (one: Stats, other: Stats): boolean => one.dev === other.dev && one.ino === other.ino;

/**
 * `mayReplace`: whether a file that exists may be replaced. The agent would ask its person before it did so itself.
 */
export function createWorkFolder(folder: string, mayReplace: boolean): WorkFolder {
  const howToReplace = mayReplace
    ? 'Pass overwrite to replace it.'
    : 'Only an unattended run replaces it. Pass another path.';
  const refusal = (path: string, why: string): ToolError =>
    new ToolError(`local file ${inLine(path)}: ${why}`);

  /** Returns the file's place below the real folder. */
  function placeIn(root: string, path: string): { inside: string; file: string } {
    const inside = isAbsolute(path)
      ? relative(resolve(folder), resolve(path))
      : relative(root, resolve(root, path));
    const parts = inside.split(sep);
    if (inside === '' || isAbsolute(inside) || parts[0] === '..')
      throw refusal(path, 'is outside of the working folder');
    if (parts.some((part) => part.startsWith('.'))) throw refusal(path, 'is hidden, so it is out of reach');
    return { inside, file: join(root, inside) };
  }

  /** A parent that is a link may lead out, also one that appeared a moment ago. */
  async function isDirect(file: string): Promise<boolean> {
    return (await realpath(dirname(file))) === dirname(file);
  }

  async function check(handle: FileHandle, file: string, path: string): Promise<Stats> {
    const [opened, named] = [await handle.stat(), await lstat(file)];
    if (!(await isDirect(file)) || !isSame(opened, named))
      throw refusal(path, 'is outside of the working folder');
    if (!opened.isFile()) throw refusal(path, 'is not a file');
    return opened;
  }

  async function openAt(file: string, path: string, flags: number): Promise<FileHandle> {
    try {
      if (!(await isDirect(file))) throw refusal(path, 'is outside of the working folder');
      return await open(file, flags | noLink | (O_NONBLOCK ?? 0), 0o644);
    } catch (error) {
      const code = codeOf(error);
      if (code === 'EEXIST') throw refusal(path, `already exists. ${howToReplace}`);
      if (code === 'ENOENT') throw refusal(path, 'does not exist');
      if (code === 'ELOOP') throw refusal(path, 'is a link');
      if (error instanceof ToolError) throw error;
      throw refusal(path, `cannot be opened (${code ?? 'unknown cause'})`);
    }
  }

  return {
    async save(path, bytes, overwrite) {
      const { inside, file } = placeIn(await realpath(folder), path);
      const parent = dirname(file);
      // Only the last folder is made, because more would need a check of each. One in a link may be outside.
      if (await isDirect(parent).catch(() => false)) await mkdir(parent).catch(() => undefined);
      const flags = O_WRONLY | O_CREAT | (overwrite && mayReplace ? 0 : O_EXCL);
      const handle = await openAt(file, path, flags);
      try {
        const { nlink } = await check(handle, file, path);
        // Another name of the file may be outside.
        if (nlink > 1) throw refusal(path, 'has several names');
        await handle.truncate(0);
        await handle.writeFile(bytes);
      } finally {
        await handle.close();
      }
      return inside;
    },
    async read(path, maxBytes) {
      const { file } = placeIn(await realpath(folder), path);
      const handle = await openAt(file, path, O_RDONLY);
      try {
        const { size, nlink } = await check(handle, file, path);
        if (nlink > 1) throw refusal(path, 'has several names');
        if (size > maxBytes) throw refusal(path, `is larger than ${maxBytes} bytes`);
        return await handle.readFile();
      } finally {
        await handle.close();
      }
    },
  };
}
