import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRunLog } from './run-log.ts';
import { type LogFile, logsToRemove } from './run-logs.rules.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-log-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the log of a run', () => {
  it('keeps the newest lines in its path and the ones before in at most two other files', async () => {
    const log = await openRunLog(folder, 'ben', 200);
    for (let n = 0; n < 30; n++) log.write('line', { n });
    await log.close();
    const names = readdirSync(folder).sort();
    expect(names).toHaveLength(3);
    const linesOf = (ending: string): number[] =>
      readFileSync(log.path.replace(/\.jsonl$/, ending), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).n);
    const kept = ['.2.jsonl', '.1.jsonl', '.jsonl'].flatMap(linesOf);
    expect(kept.at(-1)).toBe(29);
    expect(kept).toEqual(Array.from({ length: kept.length }, (_, i) => 30 - kept.length + i));
    for (const name of names) expect(readFileSync(join(folder, name)).length).toBeLessThanOrEqual(200);
  });

  it('ends no run if its folder is gone', async () => {
    const log = await openRunLog(folder, 'ben', 10);
    rmSync(folder, { recursive: true });
    log.write('line');
    log.write('line');
    await log.close();
    folder = mkdtempSync(join(tmpdir(), 'muster-log-'));
  });

  it('removes old logs of dead runs when it is opened, and nothing else', async () => {
    const old = (name: string): void => {
      writeFileSync(join(folder, name), 'x');
      utimesSync(join(folder, name), 1, 1);
    };
    old('run-ben-2020-01-01-999999999.jsonl');
    old('run-ben-2020-01-01-999999999.1.jsonl');
    old(`run-cy-2020-01-01-${process.pid}.jsonl`);
    old('desktop.log');
    const log = await openRunLog(folder, 'ben');
    await log.close();
    expect(
      readdirSync(folder)
        .filter((name) => !log.path.endsWith(name))
        .sort(),
    ).toEqual(['desktop.log', `run-cy-2020-01-01-${process.pid}.jsonl`]);
  });
});

describe('pruning', () => {
  const MiB = 1024 * 1024;
  const day = 24 * 60 * 60 * 1000;
  const now = 100 * day;
  const file = (path: string, ageDays: number, over: Partial<LogFile> = {}): LogFile => ({
    path,
    bytes: MiB,
    writtenAt: now - ageDays * day,
    isInUse: false,
    ...over,
  });
  const removed = (...files: LogFile[]) => logsToRemove(files, now).map(({ path }) => path);

  it('removes what is older than 30 days, unless it is in use', () => {
    expect(removed(file('a', 30), file('b', 31), file('c', 40, { isInUse: true }))).toEqual(['b']);
  });

  it('removes the oldest files as long as all files exceed 100 MiB', () => {
    const big = { bytes: 40 * MiB };
    expect(removed(file('new', 1, big), file('old', 3, big), file('middle', 2, big))).toEqual(['old']);
    expect(removed(file('used', 9, { ...big, isInUse: true }), file('a', 2, big), file('b', 1, big))).toEqual(
      ['a'],
    );
  });
});
