/** Where the real agents are installed: `SVC_TEST_AGENTS`, else `.agents` in the repository, each a folder with `node_modules/.bin`. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';

/** A PATH on which the agent is found. @throws Error when it is not installed: a test never passes without its agent. */
export function pathWith(agent: 'claude' | 'codex'): string {
  const folder = resolve(process.env.SVC_TEST_AGENTS ?? join(import.meta.dirname, '../../.agents'));
  const bin = join(folder, 'node_modules/.bin');
  if (!existsSync(join(bin, agent)))
    throw new Error(`${agent} is not installed in ${folder}: run "npm run test:agents", which installs it`);
  return `${bin}:${process.env.PATH}`;
}
