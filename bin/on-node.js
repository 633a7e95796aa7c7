/**
 * `node bin/on-node.js <script> [arguments]`: runs a script of this checkout on the Node that `own-node.js` chooses.
 * `--version` prints the version of that Node. Plain JavaScript for a Node that is too old to run TypeScript.
 */
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { ownNode, reportMissingNode, runOnOwnNode } from './own-node.js';

const [name = '--version', ...args] = process.argv.slice(2);
if (name === '--version') {
  const node = await ownNode();
  if (node === null) reportMissingNode();
  else process.stdout.write(execFileSync(node, ['--version']));
} else {
  const script = resolve(name);
  await runOnOwnNode(script, args, () => {
    process.argv.splice(1, 2, script);
    return import(pathToFileURL(script).href);
  });
}
