import { describe, expect, it } from 'vitest';
import { parsePs } from './process-table.ts';
import { type ProcessRow, processesOf } from './run-processes.rules.ts';

const row = (pid: number, over: Partial<ProcessRow> = {}): ProcessRow => ({
  pid,
  ppid: 1,
  pgid: pid,
  startedAt: `t${pid}`,
  run: null,
  ...over,
});
const own = row(900);
const pidsOf = (table: ProcessRow[], known = [{ pid: 10, startedAt: 't10' }], ownPid = own.pid) =>
  processesOf({ run: 'run-a', known }, [...table, own], ownPid)
    .map(({ pid }) => pid)
    .sort((a, b) => a - b);

describe('the processes of a run', () => {
  it('are its agent, the agent’s group, and the descendants of both', () => {
    const table = [
      row(10),
      row(11, { ppid: 10, pgid: 10 }),
      row(12, { ppid: 1, pgid: 10 }),
      row(13, { ppid: 12 }),
      row(14, { ppid: 13 }),
      row(20),
    ];
    expect(pidsOf(table)).toEqual([10, 11, 12, 13, 14]);
  });

  it('are also those with its variable, and the groups that they lead', () => {
    const table = [row(30, { run: 'run-a' }), row(31, { pgid: 30 }), row(32, { run: 'run-b' })];
    expect(pidsOf(table)).toEqual([30, 31]);
  });

  it('are never those of another process with a reused id, nor of its group', () => {
    const table = [row(10, { startedAt: 'later' }), row(11, { pgid: 10 }), row(12, { ppid: 10 })];
    expect(pidsOf(table)).toEqual([]);
  });

  it('are never those of a group whose leader is gone, because its id may be another group’s by now', () => {
    expect(pidsOf([row(11, { pgid: 10 })])).toEqual([]);
  });

  it('are never the process that asks, nor its ancestors', () => {
    const table = [row(10), row(11, { ppid: 10, run: 'run-a' }), row(12, { ppid: 11, run: 'run-a' })];
    expect(pidsOf([...table, row(13, { ppid: 11, run: 'run-a' })], undefined, 12)).toEqual([13]);
  });
});

it('reads the table that ps prints', () => {
  const text = [
    '    1     0     1 Ss   Sun Nov 22 08:00:00 2026 /sbin/launchd',
    '  501     1   501 S    Sun Nov  2 09:10:11 2026 /bin/sh -c x HOME=/h MUSTER_RUN=run-a-b PATH=/p',
    '  502   501   501 Z    Sun Nov 22 09:10:12 2026 (sh)',
    'garbage',
  ].join('\n');
  expect(parsePs(text)).toEqual([
    { pid: 1, ppid: 0, pgid: 1, startedAt: 'Sun Nov 22 08:00:00 2026', run: null },
    { pid: 501, ppid: 1, pgid: 501, startedAt: 'Sun Nov  2 09:10:11 2026', run: 'run-a-b' },
  ]);
});
