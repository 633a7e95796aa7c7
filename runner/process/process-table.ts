/**
 * The processes of this machine, as far as the user may see them: from `/proc` on Linux and from `ps`
 * elsewhere. Windows has neither, and its table is empty.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';
import type { ProcessRow } from './run-processes.rules.ts';

/**
 * The variable that marks the processes of a run: an owned agent gets it, and its descendants inherit it,
 * also in a session of their own.
 */
export const runVariable = 'MUSTER_RUN';

/** Processes that have ended and wait for their parent are left out. */
export function readProcesses(): ProcessRow[] {
  if (process.platform === 'win32') return [];
  return process.platform === 'linux' ? readProc() : readPs();
}

function readProc(): ProcessRow[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      // After the name in parentheses, which may contain anything.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const [state, ppid, pgid] = fields;
      if (state === 'Z' || state === 'X') return [];
      const startedAt = fields[19] ?? '';
      return [{ pid: Number(name), ppid: Number(ppid), pgid: Number(pgid), startedAt, run: runOf(name) }];
    } catch {
      // It ended meanwhile.
      return [];
    }
  });
}

function runOf(pid: string): string | null {
  try {
    const prefix = `${runVariable}=`;
    const entry = readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .find((one) => one.startsWith(prefix));
    return entry?.slice(prefix.length) ?? null;
  } catch {
    // Another user's.
    return null;
  }
}

const psLine = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\w+\s+\w+\s+\d+\s+[\d:]+\s+\d+)\s(.*)$/;

/** Parses lines of `ps -o pid,ppid,pgid,stat,lstart,command` with environments. */
export function parsePs(text: string): ProcessRow[] {
  return text.split('\n').flatMap((line) => {
    const [, pid, ppid, pgid, state, startedAt = '', command = ''] = psLine.exec(line) ?? [];
    if (pid === undefined || state?.startsWith('Z')) return [];
    const run = new RegExp(` ${runVariable}=(\\S+)`).exec(command)?.[1] ?? null;
    return [{ pid: Number(pid), ppid: Number(ppid), pgid: Number(pgid), startedAt, run }];
  });
}

function readPs(): ProcessRow[] {
  const columns = 'pid=,ppid=,pgid=,stat=,lstart=,command=';
  // `-E` shows environments.
  const { stdout } = spawnSync('/bin/ps', ['-axEww', '-o', columns], {
    encoding: 'utf8',
    env: { LC_ALL: 'C', TZ: 'UTC' },
    maxBuffer: 64 * 1024 * 1024,
  });
  return parsePs(stdout ?? '');
}
