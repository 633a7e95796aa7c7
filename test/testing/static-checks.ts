/** The checks that run no test: two at a time, and all of them, so that one run tells everything that is wrong. */
import process from 'node:process';
import { oldestNode } from '../../bin/own-node.js';
import { runCommand } from './run-command.ts';

type Check = readonly [name: string, command: string, ...args: string[]];

/** The longest one first. */
const checks: readonly Check[] = [
  ['types', 'tsc'],
  ['types of the console', 'tsc', '-p', 'tsconfig.renderer.json'],
  [
    'import law',
    'depcruise',
    ...['--config', '.dependency-cruiser.mjs', '--output-type', 'err'],
    ...['broker', 'electron', 'runner', 'renderer', 'bin', 'docs', 'test'],
  ],
  ['format and lint', 'biome', 'check', '.'],
  ['unused code', 'knip'],
  [
    `Node ${oldestNode} or newer`,
    'node',
    '--print',
    `if (Number.parseInt(process.versions.node, 10) < ${oldestNode}) process.exitCode = 1; process.version`,
  ],
  ['generated files', process.execPath, 'docs/generate.ts', '--check'],
  ['citations, links, and scopes', process.execPath, 'docs/check.ts'],
];
const atOnce = 2;

/** Returns whether all of them passed. */
export async function staticChecks(): Promise<boolean> {
  const waiting = [...checks];
  const failed: string[] = [];
  async function work(): Promise<void> {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift())
      if (!(await runCheck(check))) failed.push(check[0]);
  }
  await Promise.all(Array.from({ length: atOnce }, work));
  if (failed.length > 0) console.error(`\nfailed: ${failed.join(', ')}`);
  return failed.length === 0;
}

/** Builds what tests run. Returns whether it was built. */
export const build = (): Promise<boolean> =>
  runCheck(['what tests need built', process.execPath, 'test/testing/build-all.ts']);

async function runCheck([name, command, ...args]: Check): Promise<boolean> {
  const { code, output, seconds } = await runCommand(command, args, { isQuiet: true });
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${seconds.toFixed(1).padStart(6)} s  ${name}`);
  if (code !== 0) console.error(output);
  return code === 0;
}
