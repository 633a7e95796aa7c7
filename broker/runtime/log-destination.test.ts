import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { describeWithSmallDisk, smallDisk } from '#platform/testing/small-disk.ts';
import { logDestination } from './log-destination.ts';

describeWithSmallDisk('a log on a full disk', () => {
  async function fullLog(maxWaiting?: number) {
    const folder = await smallDisk('64k');
    const path = join(folder, 'broker.log');
    const log = pino({ base: null }, logDestination({ dest: path, ...(maxWaiting && { maxWaiting }) }));
    log.info({ at: -1 }, 'before');
    const ballast = join(folder, 'ballast');
    const fill = (): void => {
      for (let bytes = 64 * 1024; bytes > 0; bytes -= 1024)
        try {
          writeFileSync(ballast, Buffer.alloc(bytes));
          return;
        } catch {
          // Not that many are left.
        }
    };
    fill();
    // The file has the rest of its last page.
    log.info({ at: -2 }, 'x'.repeat(8 * 1024));
    const text = () => readFileSync(path, 'utf8');
    const lines = () =>
      text()
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { at: number }).at);
    return { log, makeSpace: () => rmSync(ballast), text, lines };
  }

  it('does not end the process, and has every line once there is space', async () => {
    const { log, makeSpace, lines } = await fullLog();
    for (let at = 0; at < 5; at++) expect(() => log.info({ at }, 'full')).not.toThrow();
    makeSpace();
    log.info({ at: 5 }, 'after');
    expect(lines()).toEqual([-1, -2, 0, 1, 2, 3, 4, 5]);
  });

  it('keeps a bounded number of lines in memory, and goes on when there is space', async () => {
    const { log, makeSpace, text, lines } = await fullLog(16 * 1024);
    for (let at = 0; at < 500; at++)
      log.info({ at }, 'a line of some length, of which only the first ones wait');
    makeSpace();
    log.info({ at: 500 }, 'after');
    const found = lines();
    expect(found.slice(0, 5)).toEqual([-1, -2, 0, 1, 2]);
    const { lostLines } = JSON.parse(text().trim().split('\n').at(-2) ?? '') as { lostLines: number };
    expect(found.at(-1)).toBe(500);
    expect(lostLines).toBeGreaterThan(300);
    // The two lines before the disk was full, the line about the loss, and the one after it.
    expect(found.length).toBe(2 + (500 - lostLines) + 2);
  });
});

it('refuses a file that cannot be opened', () => {
  expect(() => logDestination({ dest: join(process.execPath, 'broker.log') })).toThrow('ENOTDIR');
});
