/** Finds programs on a PATH and asks them for their version. */
import { execFile } from 'node:child_process';
import { access, constants, readFile } from 'node:fs/promises';
import { posix, win32 } from 'node:path';
import process from 'node:process';
import { readShim } from './cmd-shim.rules.ts';

const versionTimeoutMs = 20_000;
/** A shim of Yarn may start another shim. */
const maxShims = 4;
const shim = /\.(?:cmd|bat)$/i;
const startable = /\.(?:exe|com|cmd|bat)$/i;

type Environment = Readonly<Record<string, string>>;

/** A program as it is started without a shell: `command`, then `args`, then the caller's own arguments. */
export interface Program {
  /** Absolute. */
  command: string;
  /** Not empty for a script on Windows, which its interpreter runs. */
  args: readonly string[];
}

/** A program is there, but cannot be started. The message says what to do. */
export class ProgramError extends Error {
  override name = 'ProgramError';
}

/** The system that is searched. */
export interface ProgramFiles {
  platform: string;
  isProgram(path: string): Promise<boolean>;
  readText(path: string): Promise<string>;
}

const ownFiles: ProgramFiles = {
  platform: process.platform,
  isProgram: (path) =>
    access(path, constants.X_OK).then(
      () => true,
      () => false,
    ),
  readText: (path) => readFile(path, 'utf8'),
};

/**
 * Returns a program on the PATH of `env`, or that of an absolute `name`; null if there is none. On Windows, a shim of npm is
 * read, because it cannot be started without a shell. @throws ProgramError for a shim that it does not understand.
 */
export async function findProgram(name: string, env: Environment, files = ownFiles): Promise<Program | null> {
  if (files.platform === 'win32') return findOnWindows(name, env, files);
  const command = await firstProgram(placesOf(posix, name, env.PATH ?? ''), files);
  return command === null ? null : { command, args: [] };
}

/** The paths at which a program may be. */
const placesOf = ({ isAbsolute, join, delimiter }: typeof posix, name: string, path: string): string[] =>
  isAbsolute(name)
    ? [name]
    : path
        .split(delimiter)
        .filter((folder) => isAbsolute(folder))
        .map((folder) => join(folder, name));

async function firstProgram(paths: readonly string[], files: ProgramFiles): Promise<string | null> {
  for (const path of paths) if (await files.isProgram(path)) return path;
  return null;
}

async function findOnWindows(name: string, env: Environment, files: ProgramFiles): Promise<Program | null> {
  const found = await firstProgram(
    windowsPaths(name, env).flatMap((path) =>
      startable.test(path) ? [path] : ['exe', 'com', 'cmd', 'bat'].map((end) => `${path}.${end}`),
    ),
    files,
  );
  return found === null ? null : startOf(found, env, files);
}

function windowsPaths(name: string, env: Environment): string[] {
  // Names of variables have no case there, but a copy of the environment has the one that Windows wrote.
  const variable = Object.keys(env).find((key) => key.toUpperCase() === 'PATH');
  return placesOf(win32, name, variable === undefined ? '' : (env[variable] ?? ''));
}

async function startOf(path: string, env: Environment, files: ProgramFiles): Promise<Program> {
  let command = path;
  for (let count = 0; shim.test(command); count++) {
    const target = count < maxShims ? readShim(await files.readText(command), win32.dirname(command)) : null;
    if (target === null)
      throw new ProgramError(
        `"${command}" is a batch file that Muster cannot read. Install the agent again with npm, or name its .exe file.`,
      );
    if (!win32.isAbsolute(target.program) || target.args.length > 0) {
      const args = target.args.map((one) => (win32.isAbsolute(one) ? win32.normalize(one) : one));
      const script = args.find((one) => win32.isAbsolute(one));
      if (script !== undefined && !(await files.isProgram(script))) throw missing(path, script);
      return { command: await interpreterOf(target.program, command, env, files), args };
    }
    command = win32.normalize(target.program);
  }
  if (!(await files.isProgram(command))) throw missing(path, command);
  return { command, args: [] };
}

const missing = (shimPath: string, path: string): ProgramError =>
  new ProgramError(`"${shimPath}" starts "${path}", which is missing. Install the agent again.`);

/** The one beside the shim comes first, as in the shim. @throws ProgramError if there is none. */
async function interpreterOf(
  name: string,
  from: string,
  env: Environment,
  files: ProgramFiles,
): Promise<string> {
  const program = win32.basename(name).replace(/\.exe$/i, '');
  const places = [win32.join(win32.dirname(from), program), ...windowsPaths(program, env)];
  const found = await firstProgram(
    places.map((path) => `${path}.exe`),
    files,
  );
  if (found !== null) return found;
  throw new ProgramError(
    `"${from}" needs the program "${program}.exe", which is not on the PATH. Install it, and start again.`,
  );
}

/** Returns the first line that `<program> --version` prints. @throws Error if it fails, or does not end within 20 s. */
export async function readVersion(program: Program, env: Environment, cwd: string): Promise<string> {
  const { command, args } = program;
  return new Promise((resolve, reject) => {
    const options = { env, cwd, timeout: versionTimeoutMs, windowsHide: true };
    execFile(command, [...args, '--version'], options, (error, stdout) => {
      if (error)
        reject(
          new Error(`${[command, ...args].join(' ')} --version failed: ${error.message.split('\n')[0]}`),
        );
      else resolve(stdout.trim().split('\n')[0] ?? '');
    });
  });
}
