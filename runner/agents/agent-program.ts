/** The program of an agent on the PATH of its environment. */
import { reasonOf } from '#platform/error-text.ts';
import { findProgram, readVersion } from '#platform/find-program.ts';
import { AgentError } from './agent.ts';

type Environment = Readonly<Record<string, string>>;

/** Returns the absolute path. @throws AgentError with the remedy. */
export async function requireProgram(name: string, env: Environment, remedy: string): Promise<string> {
  const program = await findProgram(name, env);
  if (program === null) throw new AgentError(`there is no program "${name}" on the PATH. ${remedy}`);
  return program;
}

/** Returns the first line that the program prints about its version. @throws AgentError. */
export async function requireVersion(
  name: string,
  env: Environment,
  cwd: string,
  remedy: string,
): Promise<string> {
  const program = await requireProgram(name, env, remedy);
  return readVersion(program, env, cwd).catch((error: unknown) => {
    throw new AgentError(reasonOf(error));
  });
}
