/** The Vitest reporter of `npm test`: it writes how the run ended, file by file, for the closing lines. */
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { SerializedError } from 'vitest';
import type { Reporter, TestModule } from 'vitest/node';

export interface ClosingReport {
  passed: number;
  failed: number;
  /** One sentence per file that did not pass, with its path, and one per error outside all files. */
  problems: string[];
}

/** Names the file in which the report is written. */
export const reportVariable = 'MUSTER_TEST_REPORT';

export default class ClosingReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const path = process.env[reportVariable];
    if (path === undefined) throw new Error(`${reportVariable} is not set: run "npm test"`);
    writeFileSync(path, JSON.stringify(closingReport(modules, errors)));
  }
}

function closingReport(modules: readonly TestModule[], errors: readonly SerializedError[]): ClosingReport {
  const report: ClosingReport = { passed: 0, failed: 0, problems: [] };
  const unassigned = new Set(errors);
  for (const module of modules) {
    const file = relative(process.cwd(), module.moduleId);
    const tests = [...module.children.allTests()];
    const failed = tests.filter((test) => test.result().state === 'failed').length;
    report.passed += tests.filter((test) => test.result().state === 'passed').length;
    report.failed += failed;
    if (failed > 0) report.problems.push(`${file}: ${failed} of ${tests.length} tests failed`);
    const ended = [...unassigned].find((error) => rootMessage(error).includes(module.moduleId));
    const [fault] = module.errors();
    if (ended === undefined && (failed > 0 || module.ok())) continue;
    if (ended !== undefined) unassigned.delete(ended);
    // A file that ended before its tests did counts as one failure: its tests are not known to have passed.
    report.failed += 1;
    const reason = ended === undefined ? (fault?.message ?? 'it did not run to its end') : rootMessage(ended);
    report.problems.push(
      `${file}: ${firstLine(reason).replace(` while running test file ${module.moduleId}`, '')}`,
    );
  }
  for (const error of unassigned) {
    report.failed += 1;
    report.problems.push(`an error outside all tests: ${firstLine(rootMessage(error))}`);
  }
  return report;
}

/** Vitest wraps the end of a worker process: the signal and the file are in the cause. */
const rootMessage = (error: SerializedError): string =>
  (error.cause === undefined ? undefined : (error.cause as SerializedError).message) ?? error.message;

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? text;
