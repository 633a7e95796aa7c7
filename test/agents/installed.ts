/**
 * Where the real agents are installed: `SVC_TEST_AGENTS`, or `.agents` in the repository. Both are folders
 * with `node_modules/.bin`.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';

/**
 * Returns a PATH on which the agent is found. @throws Error if it is not installed, because a test never
 * passes without its agent.
 */
export function pathWith(agent: 'claude' | 'codex'): string {
  const folder = resolve(process.env.SVC_TEST_AGENTS ?? join(import.meta.dirname, '../../.agents'));
  const bin = join(folder, 'node_modules/.bin');
  if (!existsSync(join(bin, agent)))
    throw new Error(`${agent} is not installed in ${folder}: run "npm run test:agents", which installs it`);
  return `${bin}:${process.env.PATH}`;
}
