/**
 * The words with which a person calls the command line of this installation. A package and the app bring `muster`
 * itself. A checkout has it as a script only.
 */
import { isAbsolute, relative } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../../bin/muster', import.meta.url));

function scriptFromHere(): string {
  const near = relative(process.cwd(), script);
  const path = near.startsWith('..') || isAbsolute(near) ? script : near;
  return `node ${/[^\w./\\:-]/.test(path) ? `"${path}"` : path}`;
}

export const svcCommand = import.meta.url.endsWith('.ts') ? scriptFromHere() : 'muster';
