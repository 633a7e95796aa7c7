/** Finding an agent's program on the PATH of its environment, and asking it for its version. */
import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import process from 'node:process';
import { AgentError } from './agent.ts';

const versionMs = 20_000;

async function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** The absolute path. @throws AgentError with what to install. */
export async function findProgram(
  name: string,
  env: Readonly<Record<string, string>>,
  remedy: string,
): Promise<string> {
  const names = process.platform === 'win32' ? [`${name}.exe`, `${name}.cmd`, name] : [name];
  const folders = isAbsolute(name) ? [''] : (env.PATH ?? '').split(delimiter).filter(isAbsolute);
  for (const folder of folders)
    for (const one of names)
      if (await isProgram(join(folder, one))) return folder === '' ? one : join(folder, one);
  throw new AgentError(`there is no program "${name}" on the PATH: ${remedy}`);
}

/** The first line of `--version`. @throws AgentError when it does not answer. */
export function versionOf(
  command: string,
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command, ['--version'], { env, cwd, timeout: versionMs }, (error, stdout) => {
      if (error) reject(new AgentError(`${command} --version failed: ${error.message.split('\n')[0]}`));
      else resolve(stdout.trim().split('\n')[0] ?? '');
    });
  });
}
