/** The finding of `muster doctor` about the version of Node that runs it. */
import { oldestNode } from '../own-node.js';
import { type Finding, fail, ok, warn } from './finding.ts';

const testedMajor = 26;
const remedy = 'use Node 26, which "npm ci" installs';

/**
 * Returns the finding for a version of Node such as `v26.10.0`; `platform` is added to the sentence as it is.
 * V8 13.6, which Node 24 contains, can end the process with SIGTRAP and "Check failed: jit_page.has_value()" when threads start and end.
 */
export function checkNode(version: string, platform: string): Finding {
  const found = `${version} on ${platform}`;
  const major = Number.parseInt(version.replace(/^v/, ''), 10);
  if (!(major >= oldestNode))
    return fail('node', found, `use Node ${oldestNode} or newer; "npm ci" installs one`);
  if (major === 24)
    return warn(
      'node',
      `${found} has a bug in V8 that can crash the process when threads start or end`,
      remedy,
    );
  if (major < testedMajor) return warn('node', `${found} is not tested`, remedy);
  return ok('node', found);
}
