import { describe, expect, it } from 'vitest';
import { type FileOutcome, filesToRerun, isGreen, type TestOutcome, verdictOf } from './verdict.rules.ts';

const test = (name: string, state: TestOutcome['state'], more: Partial<TestOutcome> = {}): TestOutcome => ({
  name,
  state,
  ...more,
});
const file = (path: string, tests: TestOutcome[], more: Partial<FileOutcome> = {}): FileOutcome => ({
  path,
  seconds: 1,
  tests,
  fault: null,
  seed: null,
  ...more,
});
const run = (...files: FileOutcome[]) => ({ files, strays: [] });

const failing = file('b.test.ts', [test('one', 'passed'), test('two', 'failed', { line: 7, reason: 'no' })], {
  seed: '18',
});
const passing = file('b.test.ts', [test('one', 'passed'), test('two', 'passed')]);

describe('a tier', () => {
  it('reruns the files in which something has not passed yet', () => {
    const others = [file('a.test.ts', [test('one', 'passed')]), file('c.test.ts', [], { fault: 'killed' })];
    expect(filesToRerun([run(failing, ...others)])).toEqual(['b.test.ts', 'c.test.ts']);
    expect(filesToRerun([run(failing, ...others), run(passing, others[1]!)])).toEqual(['c.test.ts']);
  });

  it('names what failed in every run, with its line and seed', () => {
    const verdict = verdictOf([run(failing), run(failing), run(failing)]);
    expect(verdict).toMatchObject({ passed: 1, failed: 1, unstable: [] });
    expect(verdict.problems).toEqual(['b.test.ts:7 › two: no (seed 18)']);
    expect(isGreen(verdict)).toBe(false);
  });

  it('names what passed on a rerun only, and is green', () => {
    const verdict = verdictOf([run(failing), run(passing)]);
    expect(verdict).toMatchObject({ passed: 2, failed: 0, problems: [] });
    expect(verdict.unstable).toEqual([{ path: 'b.test.ts', test: 'two', reason: 'no', seed: '18' }]);
    expect(isGreen(verdict)).toBe(true);
  });

  it('takes a test that failed on the rerun of another one as unstable, too', () => {
    const swapped = file('b.test.ts', [test('one', 'failed', { reason: 'late' }), test('two', 'passed')]);
    expect(filesToRerun([run(failing), run(swapped)])).toEqual([]);
    expect(verdictOf([run(failing), run(swapped)]).unstable.map((one) => one.test)).toEqual(['one', 'two']);
  });

  it('is red if more than five tests passed on a rerun only', () => {
    const tests = (state: TestOutcome['state'], count: number) =>
      Array.from({ length: count }, (_, at) => test(`t${at}`, state));
    const runsOf = (count: number) => [
      run(file('a.test.ts', tests('failed', count))),
      run(file('a.test.ts', tests('passed', count))),
    ];
    expect(isGreen(verdictOf(runsOf(5)))).toBe(true);
    expect(isGreen(verdictOf(runsOf(6)))).toBe(false);
  });

  it('counts a file that never ran to its end as a failure, whatever its tests say', () => {
    const killed = file('b.test.ts', [test('one', 'passed')], { fault: 'ended with SIGKILL' });
    expect(verdictOf([run(killed)])).toMatchObject({
      passed: 1,
      failed: 1,
      problems: ['b.test.ts: ended with SIGKILL'],
    });
    expect(verdictOf([run(killed), run(passing)])).toMatchObject({
      failed: 0,
      unstable: [{ path: 'b.test.ts', test: null, reason: 'ended with SIGKILL' }],
    });
  });

  it('counts tests of one name separately', () => {
    const twins = file('a.test.ts', [test('same', 'passed'), test('same', 'failed', { reason: 'no' })]);
    expect(verdictOf([run(twins)])).toMatchObject({ passed: 1, failed: 1 });
  });

  it('names skipped tests, but not those that a failed hook left out', () => {
    expect(verdictOf([run(file('a.test.ts', [test('one', 'skipped')]))]).skipped).toEqual([
      'a.test.ts › one',
    ]);
    const unhooked = file('a.test.ts', [test('one', 'skipped')], { fault: 'the hook failed' });
    expect(verdictOf([run(unhooked)])).toMatchObject({ failed: 1, skipped: [] });
  });

  it('is red after an error outside all tests', () => {
    const verdict = verdictOf([{ files: [passing], strays: ['unhandled rejection'] }]);
    expect(verdict.problems).toEqual(['an error outside all tests: unhandled rejection']);
    expect(isGreen(verdict)).toBe(false);
  });

  it('shows the ten slowest files of the first run', () => {
    const files = Array.from({ length: 12 }, (_, at) => file(`${at}.test.ts`, [], { seconds: at }));
    const { slowest } = verdictOf([run(...files)]);
    expect(slowest).toHaveLength(10);
    expect(slowest[0]).toEqual({ path: '11.test.ts', seconds: 11 });
  });
});
