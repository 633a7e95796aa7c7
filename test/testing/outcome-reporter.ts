/**
 * The Vitest reporter of `test/main.ts`. If the output is not a terminal, it prints one line for each file. At the end of the run, it writes
 * what was observed (`RunOutcome`) as JSON.
 */
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { SerializedError, UserConsoleLog } from 'vitest';
import { DefaultReporter, type TestCase, type TestModule, type TestRunEndReason } from 'vitest/node';
import type { FileOutcome, RunOutcome, TestOutcome } from './verdict.rules.ts';

/** Names the file in which the outcome is written. */
export const outcomeVariable = 'MUSTER_TEST_OUTCOME';

const seedPattern = /\bseed\w*["']?[=: ]+(-?\d+)/i;

export default class OutcomeReporter extends DefaultReporter {
  /** By the path of the file. */
  readonly #seeds = new Map<string, string>();

  override onUserConsoleLog(log: UserConsoleLog): void {
    const [, seed] = seedPattern.exec(log.content) ?? [];
    const path = log.taskId && this.ctx.state.idMap.get(log.taskId)?.file.filepath;
    if (seed !== undefined && path) this.#seeds.set(path, seed);
    super.onUserConsoleLog(log);
  }

  override printTestModule(module: TestModule): void {
    if (this.isTTY) super.printTestModule(module);
    else {
      const tests = [...module.children.allTests()].length;
      const state = module.ok() ? 'ok    ' : 'FAILED';
      this.log(`${state} ${inSeconds(module).toFixed(1).padStart(6)} s  ${pathOf(module)} (${tests})`);
    }
  }

  /** `test/main.ts` says how the run ended. */
  override reportTestSummary(): void {}

  override onTestRunEnd(
    modules: readonly TestModule[],
    errors: readonly SerializedError[],
    reason: TestRunEndReason,
  ): void {
    super.onTestRunEnd(modules, errors, reason);
    const path = process.env[outcomeVariable];
    if (path !== undefined) writeFileSync(path, JSON.stringify(this.#outcome(modules, errors)));
  }

  #outcome(modules: readonly TestModule[], errors: readonly SerializedError[]): RunOutcome {
    const unassigned = new Set(errors);
    const files = modules.map((module): FileOutcome => {
      const tests = [...module.children.allTests()].map(testOutcome);
      const ended = [...unassigned].find((error) => rootMessage(error).includes(module.moduleId));
      if (ended !== undefined) unassigned.delete(ended);
      const [error = ended] = [...module.errors(), ...suiteErrors(module)];
      const hasFailed = tests.some(({ state }) => state === 'failed');
      const isWhole = error === undefined && (hasFailed || module.ok());
      const reason = error === undefined ? 'it did not run to its end' : firstLine(rootMessage(error));
      const reasons = tests.map((test) => test.reason ?? '').join('\n');
      return {
        path: pathOf(module),
        seconds: inSeconds(module),
        tests,
        fault: isWhole ? null : reason.replace(` while running test file ${module.moduleId}`, ''),
        seed: seedPattern.exec(reasons)?.[1] ?? this.#seeds.get(module.moduleId) ?? null,
      };
    });
    return { files, strays: [...unassigned].map((error) => firstLine(rootMessage(error))) };
  }
}

const pathOf = ({ moduleId }: TestModule): string => relative(process.cwd(), moduleId);

/** Includes the imports and the hooks. */
function inSeconds(module: TestModule): number {
  const { collectDuration, duration } = module.diagnostic();
  return (collectDuration + duration) / 1000;
}

function suiteErrors(module: TestModule): readonly SerializedError[] {
  return [...module.children.allSuites()].flatMap((suite) => suite.errors());
}

function testOutcome(test: TestCase): TestOutcome {
  const { state, errors } = test.result();
  const name = test.fullName;
  if (state === 'passed') return { name, state };
  if (state !== 'failed') return { name, state: 'skipped' };
  const [error] = errors;
  const frame = error?.stacks?.find(({ file }) => file === test.module.moduleId);
  return { name, state, line: frame?.line, reason: firstLine(error?.message ?? 'it failed') };
}

/** Vitest wraps the end of a worker process: the signal and the file are in the cause. */
const rootMessage = (error: SerializedError): string =>
  (error.cause === undefined ? undefined : (error.cause as SerializedError).message) ?? error.message;

const firstLine = (text: string): string => stripVTControlCharacters(text).split('\n', 1)[0] ?? text;
