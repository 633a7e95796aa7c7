/** npm test: every check in turn, each named; the first that fails ends it. Closes with a line that counts the tests. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'muster-test-'));
const report = join(folder, 'vitest.json');

const checks: [name: string, command: string, ...args: string[]][] = [
  [
    'Node 26',
    process.execPath,
    '-e',
    'if (!process.version.startsWith("v26.")) { console.error(process.version); process.exit(1); }',
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
  // Before the tests, so that none of their limits covers a build.
  ['what tests need built', process.execPath, 'test/testing/build-all.ts'],
  ['tests', 'vitest', 'run', '--reporter=dot', '--reporter=json', `--outputFile.json=${report}`],
];

function run(command: string, args: string[]): number {
  const { status, error } = spawnSync(command, args, {
    stdio: 'inherit',
    shell: process.platform === 'win32',
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

let counts = { numPassedTests: 0, numFailedTests: 0 };
try {
  counts = JSON.parse(readFileSync(report, 'utf8'));
} catch {
  // A check before the tests failed.
}
rmSync(folder, { recursive: true });
if (failed !== undefined) console.error(`\nfailed: ${failed}`);
console.log(`\n${counts.numPassedTests} passed, ${counts.numFailedTests} failed`);
process.exitCode = failed === undefined ? 0 : 1;
