/** Whether a process that left its id somewhere is still that process, because ids are reused. */
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { codeOf } from './error-text.ts';

export interface ProcessIdentity {
  pid: number;
  /** When it started, as the system counts; null if that is not known. */
  startedAt: string | null;
}

/** Field 22 of the process's stat line, after the name in parentheses, which may contain anything. */
function startOf(pid: number): string | null {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return line.slice(line.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

export const ownIdentity = (): ProcessIdentity => ({ pid: process.pid, startedAt: startOf(process.pid) });

export function isAlive({ pid, startedAt }: ProcessIdentity): boolean {
  // The system treats 0 and less as groups of processes.
  if (pid < 1) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) !== 'EPERM') return false;
  }
  return startedAt === null || startOf(pid) === startedAt;
}
