/** Finds programs on a PATH and asks them for their version. */
import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import process from 'node:process';

const versionTimeoutMs = 20_000;

type Environment = Readonly<Record<string, string>>;

/** Returns the absolute path of a program on the PATH of `env`, or of an absolute `name`; null if there is none. */
export async function findProgram(name: string, env: Environment): Promise<string | null> {
  const names = process.platform === 'win32' ? [`${name}.exe`, `${name}.cmd`, name] : [name];
  const paths = isAbsolute(name)
    ? names
    : (env.PATH ?? '')
        .split(delimiter)
        .filter(isAbsolute)
        .flatMap((folder) => names.map((one) => join(folder, one)));
  for (const path of paths) if (await isProgram(path)) return path;
  return null;
}

const isProgram = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

/** Returns the first line that `<program> --version` prints. @throws Error if it fails, or does not end within 20 s. */
export async function readVersion(program: string, env: Environment, cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { env, cwd, timeout: versionTimeoutMs, windowsHide: true };
    execFile(program, ['--version'], options, (error, stdout) => {
      if (error) reject(new Error(`${program} --version failed: ${error.message.split('\n')[0]}`));
      else resolve(stdout.trim().split('\n')[0] ?? '');
    });
  });
}
