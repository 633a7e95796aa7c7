/**
 * `npm test`: runs every check in turn and stops at the first one that fails. The last lines name what failed, down to the files of
 * the tests, and count the tests.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { oldestNode } from '../bin/own-node.js';
import { type ClosingReport, reportVariable } from './testing/closing-report.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-test-'));
const reportPath = join(folder, 'report.json');

const checks: [name: string, command: string, ...args: string[]][] = [
  // The one that the tools below run on, too.
  [
    `Node ${oldestNode} or newer`,
    'node',
    '--print',
    `if (Number.parseInt(process.versions.node, 10) < ${oldestNode}) process.exitCode = 1; process.version`,
  ],
  ['types', 'tsc'],
  ['types of the console', 'tsc', '-p', 'tsconfig.renderer.json'],
  ['format and lint', 'biome', 'check', '.'],
  [
    'import law',
    'depcruise',
    '--config',
    '.dependency-cruiser.mjs',
    '--output-type',
    'err',
    'broker',
    'electron',
    'runner',
    'renderer',
    'bin',
    'docs',
    'test',
  ],
  ['unused code', 'knip'],
  ['generated files', process.execPath, 'docs/generate.ts', '--check'],
  ['citations, links, and scopes', process.execPath, 'docs/check.ts'],
  // Before the tests, so that no timeout of a test covers a build.
  ['what tests need built', process.execPath, 'test/testing/build-all.ts'],
  ['tests', 'vitest', 'run', '--reporter=dot', '--reporter=./test/testing/closing-report.ts'],
];

function run(command: string, args: string[]): number {
  const { status, error } = spawnSync(command, args, {
    stdio: 'inherit',
    shell: process.platform === 'win32',
    env: { ...process.env, [reportVariable]: reportPath },
  });
  if (error) console.error(error.message);
  return status ?? 1;
}

let failed: string | undefined;
for (const [name, command, ...args] of checks) {
  console.log(`\n— ${name}`);
  if (run(command, args) !== 0) {
    failed = name;
    break;
  }
}

const report = readReport();
rmSync(folder, { recursive: true });
if (failed !== undefined) console.error(['', `failed: ${failed}`, ...report.problems].join('\n  '));
console.log(`\n${report.passed} passed, ${report.failed} failed`);
process.exitCode = failed === undefined ? 0 : 1;

/** Empty when a check before the tests failed. */
function readReport(): ClosingReport {
  try {
    return JSON.parse(readFileSync(reportPath, 'utf8')) as ClosingReport;
  } catch {
    return { passed: 0, failed: 0, problems: [] };
  }
}
