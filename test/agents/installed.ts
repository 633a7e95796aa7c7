/**
 * The place where the real agents are installed: `SVC_TEST_AGENTS`, or `.agents` in the repository. Both are folders
 * with `node_modules/.bin`.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { agentKindOf, type InstallableKind } from '../../runner/agents/agent-kinds.ts';

/** A PATH on which the agent's program is found. @throws Error when it is not installed: a test never passes without its agent. */
export function pathWith(id: InstallableKind['id']): string {
  const { program } = agentKindOf(id).install ?? { program: id };
  const folder = resolve(process.env.SVC_TEST_AGENTS ?? join(import.meta.dirname, '../../.agents'));
  const bin = join(folder, 'node_modules/.bin');
  if (!existsSync(join(bin, program)))
    throw new Error(`${program} is not installed in ${folder}: run "npm run test:agents", which installs it`);
  return `${bin}:${process.env.PATH}`;
}
