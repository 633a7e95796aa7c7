/** The end of a tier, from the observations of its runs: the first run has every file, and a rerun has the files that failed. */

export interface TestOutcome {
  /** With the names of its groups. */
  name: string;
  state: 'passed' | 'failed' | 'skipped';
  /** The line of the failure; undefined if it did not fail, or if nothing names a line. */
  line?: number | undefined;
  /** The first line of what it failed with. */
  reason?: string | undefined;
}

export interface FileOutcome {
  /** Relative to the root. */
  path: string;
  seconds: number;
  tests: TestOutcome[];
  /** Why the file did not run to its end; null if it did. */
  fault: string | null;
  /** The seed that the run printed; null if it printed none. */
  seed: string | null;
}

export interface RunOutcome {
  files: FileOutcome[];
  /** Errors outside all files. */
  strays: string[];
}

/** Something that passed on a rerun only. */
export interface Unstable {
  path: string;
  /** Null for a file that did not run to its end at first. */
  test: string | null;
  reason: string;
  seed: string | null;
}

export interface Verdict {
  passed: number;
  failed: number;
  /** One line for each failure. */
  problems: string[];
  unstable: Unstable[];
  /** One line for each skipped test. */
  skipped: string[];
  slowest: { path: string; seconds: number }[];
}

/** More tests than this that passed on a rerun only fail the tier. */
export const maxUnstable = 5;
const slowestShown = 10;

const isPassed = ({ tests, fault }: FileOutcome): boolean =>
  fault === null && tests.every(({ state }) => state !== 'failed');

/** The files that have to run again: those with something that has passed in none of the runs. */
export function filesToRerun(runs: readonly RunOutcome[]): string[] {
  return [...attemptsByPath(runs)].flatMap(([path, attempts]) =>
    faultOf(attempts) === null && failuresOf(attempts).length === 0 ? [] : [path],
  );
}

export function verdictOf(runs: readonly RunOutcome[]): Verdict {
  const verdict: Verdict = { passed: 0, failed: 0, problems: [], unstable: [], skipped: [], slowest: [] };
  for (const [path, attempts] of attemptsByPath(runs)) addFile(verdict, path, attempts);
  // An error outside all files in one run is an error, because nothing says that it was seen to pass.
  for (const stray of runs.flatMap(({ strays }) => strays)) {
    verdict.failed += 1;
    verdict.problems.push(`an error outside all tests: ${stray}`);
  }
  verdict.slowest = (runs[0]?.files ?? [])
    .map(({ path, seconds }) => ({ path, seconds }))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, slowestShown);
  return verdict;
}

export const isGreen = ({ failed, unstable }: Verdict): boolean =>
  failed === 0 && unstable.length <= maxUnstable;

function attemptsByPath(runs: readonly RunOutcome[]): Map<string, FileOutcome[]> {
  return Map.groupBy(
    runs.flatMap(({ files }) => files),
    ({ path }) => path,
  );
}

/** Why no attempt ran to its end; null if one did. */
function faultOf(attempts: readonly FileOutcome[]): string | null {
  return attempts.every(({ fault }) => fault !== null) ? (attempts[0]?.fault ?? null) : null;
}

/** The same test in all attempts; several tests of a file may have one name. */
function testsOf(attempts: readonly FileOutcome[]): TestOutcome[][] {
  const byKey = new Map<string, TestOutcome[]>();
  for (const { tests } of attempts) {
    const seen = new Map<string, number>();
    for (const test of tests) {
      const count = (seen.get(test.name) ?? 0) + 1;
      seen.set(test.name, count);
      const key = `${count} ${test.name}`;
      byKey.set(key, [...(byKey.get(key) ?? []), test]);
    }
  }
  return [...byKey.values()];
}

const failedAt = (test: readonly TestOutcome[]): TestOutcome | undefined =>
  test.find(({ state }) => state === 'failed');
const hasPassed = (test: readonly TestOutcome[]): boolean => test.some(({ state }) => state === 'passed');

const failuresOf = (attempts: readonly FileOutcome[]): TestOutcome[] =>
  testsOf(attempts).flatMap((test) => (hasPassed(test) ? [] : (failedAt(test) ?? [])));

function addFile(verdict: Verdict, path: string, attempts: readonly FileOutcome[]): void {
  const seed = attempts.find((one) => !isPassed(one))?.seed ?? null;
  const withSeed = seed === null ? '' : ` (seed ${seed})`;
  const fault = faultOf(attempts);
  if (fault !== null) {
    verdict.failed += 1;
    verdict.problems.push(`${path}: ${fault}${withSeed}`);
  }
  const passing = attempts.find((one) => one.fault !== null);
  if (fault === null && passing !== undefined)
    verdict.unstable.push({ path, test: null, reason: passing.fault ?? '', seed });
  for (const test of testsOf(attempts)) {
    const failed = failedAt(test);
    const name = test[0]?.name ?? '';
    if (hasPassed(test)) {
      verdict.passed += 1;
      if (failed !== undefined)
        verdict.unstable.push({ path, test: name, reason: failed.reason ?? '', seed });
    } else if (failed !== undefined) {
      verdict.failed += 1;
      const place = failed.line === undefined ? path : `${path}:${failed.line}`;
      verdict.problems.push(`${place} › ${name}: ${failed.reason ?? 'it failed'}${withSeed}`);
    } else if (fault === null) verdict.skipped.push(`${path} › ${name}`);
  }
}
