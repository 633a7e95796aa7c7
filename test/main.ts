/**
 * Runs tiers of tests (test/tiers.ts): `node bin/on-node.js test/main.ts fast [path …]`. The fast tier begins with the static checks. A file of
 * another tier that failed runs again, twice at most, and what passed on a rerun only is named. The last lines say how it ended.
 */
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { requireAgents } from './agents/install.ts';
import { root } from './testing/build-once.ts';
import { outcomeVariable } from './testing/outcome-reporter.ts';
import { provide, remedyFor } from './testing/programs.ts';
import { runCommand } from './testing/run-command.ts';
import { build, staticChecks } from './testing/static-checks.ts';
import {
  filesToRerun,
  isGreen,
  maxUnstable,
  type RunOutcome,
  type Verdict,
  verdictOf,
} from './testing/verdict.rules.ts';
import { leftOutVariable, needs, projectsOf, projectsOfTest, type Tier, tiers } from './tiers.ts';

const maxReruns = 2;
/** For two cores. Fast tests often wait for each other's disk; the real agents need a core each. */
const workers: Record<Tier, number> = { fast: 3, slow: 2, agents: 1 };

const usage = `usage: node bin/on-node.js test/main.ts <${tiers.join('|')}> [path …]`;
const [tier, ...paths] = process.argv.slice(2);
if (tier === undefined || !isTier(tier)) {
  console.error(usage);
  process.exit(2);
}
process.exitCode = (await runTier(tier, paths)) ? 0 : 1;

function isTier(text: string): text is Tier {
  return tiers.some((one) => one === text);
}

async function runTier(wanted: Tier, files: string[]): Promise<boolean> {
  const isPart = files.length > 0;
  if (wanted === 'fast' && !isPart && !(await staticChecks())) return false;
  // Before the tests, so that no timeout of a test covers a build.
  if (!(await build())) return false;
  if (wanted === 'agents' && !(await requireAgents())) return false;
  const leftOut = filesLeftOut(wanted);
  const verdict = await runTests(wanted, files, [...leftOut.keys()]);
  if (verdict === null) return false;
  writeUnstable(wanted, verdict);
  sayHowItEnded(verdict, leftOut);
  return isGreen(verdict);
}

/** The files of this tier that need a program which is missing and cannot be installed here, with what a person can do. */
function filesLeftOut(wanted: Tier): Map<string, string> {
  const isInTier = (file: string): boolean => projectsOfTest(file).some(({ tier }) => tier === wanted);
  const leftOut = new Map<string, string>();
  for (const { program, files } of needs) {
    const needing = globSync([...files], { cwd: root }).filter(isInTier);
    if (needing.length === 0 || provide(program)) continue;
    for (const file of needing) leftOut.set(file, `${program} is missing: ${remedyFor(program)}`);
  }
  return leftOut;
}

/** Null if Vitest ended without an outcome. */
async function runTests(wanted: Tier, files: string[], leftOut: string[]): Promise<Verdict | null> {
  const runs: RunOutcome[] = [];
  let next = files;
  for (;;) {
    const outcome = await runVitest(wanted, next, leftOut);
    if (outcome === null) return null;
    runs.push(outcome);
    next = filesToRerun(runs);
    if (wanted === 'fast' || next.length === 0 || runs.length > maxReruns) return verdictOf(runs);
    console.log(`\n— again, because something failed: ${next.join(', ')}`);
  }
}

async function runVitest(wanted: Tier, files: string[], leftOut: string[]): Promise<RunOutcome | null> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-test-'));
  const outcomePath = join(folder, 'outcome.json');
  try {
    const args = [
      'run',
      `--maxWorkers=${workers[wanted]}`,
      ...projectsOf(wanted).flatMap((project) => ['--project', project]),
      ...(process.stdout.isTTY ? [] : ['--no-color']),
      '--reporter=./test/testing/outcome-reporter.ts',
      '--silent=passed-only',
      ...files,
    ];
    const env = { [outcomeVariable]: outcomePath, [leftOutVariable]: JSON.stringify(leftOut) };
    await runCommand('vitest', args, { env });
    return JSON.parse(readFileSync(outcomePath, 'utf8')) as RunOutcome;
  } catch (error) {
    console.error(`the tests ended without an outcome: ${(error as Error).message}`);
    return null;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Each tier replaces its own part of `artifacts/unstable.json`. */
function writeUnstable(wanted: Tier, { unstable }: Verdict): void {
  const path = join(root, 'artifacts', 'unstable.json');
  mkdirSync(join(root, 'artifacts'), { recursive: true });
  writeFileSync(path, `${JSON.stringify({ ...readUnstable(path), [wanted]: unstable }, null, 2)}\n`);
}

function readUnstable(path: string): Record<string, unknown> {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return {};
  }
}

function sayHowItEnded(verdict: Verdict, leftOut: ReadonlyMap<string, string>): void {
  const { passed, failed, problems, unstable, skipped, slowest } = verdict;
  section(
    'the slowest files',
    slowest.map(({ path, seconds }) => `${seconds.toFixed(1).padStart(6)} s  ${path}`),
  );
  const notRun = [...leftOut].map(([file, reason]) => `${file}: ${reason}`);
  section('skipped', [...notRun, ...skipped]);
  section('failed', problems);
  section(
    `${unstable.length} passed on a retry${unstable.length > maxUnstable ? `; more than ${maxUnstable} fail the run` : ''}`,
    unstable.map(
      ({ path, test, reason, seed }) =>
        `${[path, ...(test === null ? [] : [test])].join(' › ')}: ${reason}${seed === null ? '' : ` (seed ${seed})`}`,
    ),
  );
  console.log(`\n${passed} passed, ${failed} failed`);
}

function section(title: string, lines: readonly string[]): void {
  if (lines.length > 0) console.log(['', `${title}:`, ...lines].join('\n  '));
}
