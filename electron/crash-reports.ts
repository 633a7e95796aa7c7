/**
 * Reports of errors that nothing caught: files that a person can read and send. A report contains no
 * messages, no secrets, and no environment.
 */
import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { reasonOf } from '#platform/error-text.ts';

const maxReports = 10;
const namePattern = /^crash-.*\.json$/;

export interface CrashReports {
  /**
   * Returns the path of the report, or null if it cannot be written. It works synchronously, because the
   * process may not continue.
   */
  write(error: unknown): string | null;
}

export interface CrashReportsDeps {
  folder: string;
  version: string;
  now(): number;
}

export function createCrashReports({ folder, version, now }: CrashReportsDeps): CrashReports {
  return {
    write(error) {
      const at = new Date(now()).toISOString();
      const path = join(folder, `crash-${at.replaceAll(/[:.]/g, '-')}.json`);
      const { name, message, stack } = error instanceof Error ? error : new Error(reasonOf(error));
      const report = {
        at,
        version,
        platform: `${process.platform} ${process.arch}`,
        versions: { node: process.versions.node, electron: process.versions.electron },
        uptimeSeconds: Math.round(process.uptime()),
        memory: process.memoryUsage(),
        error: { name, message, stack },
      };
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(path, `${JSON.stringify(report, null, 2)}\n`, { mode: 0o600 });
        chmodSync(path, 0o600);
        const old = readdirSync(folder)
          .filter((one) => namePattern.test(one))
          .sort()
          .slice(0, -maxReports);
        for (const one of old) rmSync(join(folder, one), { force: true });
        return path;
      } catch {
        return null;
      }
    },
  };
}
