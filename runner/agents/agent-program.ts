/** The program of an agent on the PATH of its environment. */
import { isAbsolute } from 'node:path';
import { reasonOf } from '#platform/error-text.ts';
import { findProgram, type Program, ProgramError, readVersion } from '#platform/find-program.ts';
import { AgentError } from './agent.ts';
import { type AgentDescriptor, installCommand } from './descriptor.ts';
import { isOlder, versionIn } from './version.rules.ts';

type Environment = Readonly<Record<string, string>>;

/** @throws AgentError with the remedy. */
export async function requireProgram(name: string, env: Environment, remedy: string): Promise<Program> {
  const program = await findProgram(name, env).catch((error: unknown) => {
    throw error instanceof ProgramError ? new AgentError(error.message) : error;
  });
  if (program === null) {
    const where = isAbsolute(name) ? ', or it cannot be run' : ' on the PATH';
    throw new AgentError(`there is no program "${name}"${where}. ${remedy}`);
  }
  return program;
}

/**
 * Returns the version of an agent's program, such as `2.1.197`. @throws AgentError, also for a version that is
 * too old.
 */
export async function requireVersion(
  { name, install }: AgentDescriptor & { install: object },
  env: Environment,
  cwd: string,
): Promise<string> {
  const { npmPackage, minVersion } = install;
  const command = installCommand(npmPackage);
  const program = await requireProgram(install.program, env, `Install it with "${command}".`);
  const line = await readVersion(program, env, cwd).catch((error: unknown) => {
    throw new AgentError(reasonOf(error));
  });
  const version = versionIn(line);
  if (version === null)
    throw new AgentError(`"${program} --version" names no version. Install ${name} with "${command}".`);
  if (isOlder(version, minVersion))
    throw new AgentError(
      `${name} ${version} is too old: ${minVersion} or newer is needed. Update it with "${command}".`,
    );
  return version;
}
