/** Whether a process that left its number somewhere is still that process: numbers are given again. */
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { codeOf } from './error-text.ts';

export interface ProcessIdentity {
  pid: number;
  /** When it started, as the system counts; null where that cannot be told. */
  startedAt: string | null;
}

/** Field 22 of the process's stat line, after the name in parentheses, which may hold anything. */
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
  // The system takes 0 and less for groups of processes.
  if (pid < 1) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) !== 'EPERM') return false;
  }
  return startedAt === null || startOf(pid) === startedAt;
}
