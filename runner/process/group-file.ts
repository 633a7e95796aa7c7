/** The process group of a run's agent, in a file of the run's folder, so that the next run can end it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { replaceFileSync } from '#platform/synced-file.ts';
import { readProcesses } from './process-table.ts';
import type { ProcessId } from './run-processes.rules.ts';

const Group = z.object({ schema: z.literal(1), pid: z.int().positive(), startedAt: z.string() });
const pathIn = (runFolder: string): string => join(runFolder, 'agent-process.json');

/** Writes the file, 0600, and returns the identity of the process; null if it has ended. @throws the system's error. */
export function writeGroup(runFolder: string, pid: number): ProcessId | null {
  const row = readProcesses().find((one) => one.pid === pid);
  if (row === undefined) return null;
  const leader = { pid, startedAt: row.startedAt };
  replaceFileSync(pathIn(runFolder), Buffer.from(JSON.stringify({ schema: 1, ...leader })), 0o600);
  return leader;
}

/** Null if there is none, or it is incomplete. */
export function readGroup(runFolder: string): ProcessId | null {
  try {
    return Group.parse(JSON.parse(readFileSync(pathIn(runFolder), 'utf8')));
  } catch {
    return null;
  }
}
