/**
 * Finds the kinds of agents that are installed on this machine: their programs on the PATH, and their
 * versions.
 */
import { homedir } from 'node:os';
import { z } from 'zod';
import { findProgram, type Program, readVersion } from '#platform/find-program.ts';
import { type AgentKindRow, agentKinds } from '../../runner/agents/agent-kinds.ts';
import { installCommand } from '../../runner/agents/descriptor.ts';
import type { AgentKindView } from '../bridge.ts';

export const AgentKind = z.enum(agentKinds.map(({ id }) => id));

type Env = Readonly<Record<string, string>>;

const maxVersionLength = 80;

/** `env` is the environment that an agent would get, including PATH. */
export const findAgentKinds = (env: Env): Promise<AgentKindView[]> =>
  Promise.all(agentKinds.map((kind) => findAgentKind(kind, env)));

async function findAgentKind({ id, name, install }: AgentKindRow, env: Env): Promise<AgentKindView> {
  // The person names the program of this kind, so there is nothing to search for.
  if (install === null) return { kind: id, name, isFound: true, version: null, install: null };
  // A program that is there but cannot be started says so when it is started.
  const program = await findProgram(install.program, env).catch(() => undefined);
  return {
    kind: id,
    name,
    isFound: program !== null,
    version: program ? await versionOf(program, env) : null,
    install: installCommand(install.npmPackage),
  };
}

/** Returns the first line of `--version`, or null if the program does not answer. */
const versionOf = (program: Program, env: Env): Promise<string | null> =>
  readVersion(program, env, homedir()).then(
    (line) => line.slice(0, maxVersionLength) || null,
    () => null,
  );
