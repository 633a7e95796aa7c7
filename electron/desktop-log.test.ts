import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDesktopLog } from './desktop-log.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-log-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const linesOf = (name: string): number[] =>
  readFileSync(join(folder, name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { at: number }).at);

test('sets a full log aside while the app runs, and loses no line', () => {
  const log = createDesktopLog({ path: join(folder, 'desktop.log'), maxBytes: 2000 });
  for (let at = 0; at < 40; at++) log.info({ at }, 'a line');
  expect(readdirSync(folder).sort()).toEqual(['desktop.1.log', 'desktop.log']);
  const [earlier, present] = [linesOf('desktop.1.log'), linesOf('desktop.log')];
  expect([...earlier, ...present]).toEqual(Array.from({ length: 40 }, (_, at) => at));
  expect(statSync(join(folder, 'desktop.log')).mode & 0o777).toBe(0o600);
});

test('keeps one earlier log, so that logs do not grow without bound', () => {
  const log = createDesktopLog({ path: join(folder, 'desktop.log'), maxBytes: 500 });
  for (let at = 0; at < 200; at++) log.info({ at }, 'a line');
  expect(readdirSync(folder).sort()).toEqual(['desktop.1.log', 'desktop.log']);
  const total = ['desktop.1.log', 'desktop.log'].reduce(
    (sum, name) => sum + statSync(join(folder, name)).size,
    0,
  );
  expect(total).toBeLessThan(1500);
  expect(linesOf('desktop.log').at(-1)).toBe(199);
});

test('sets a log aside that was already full at the start', () => {
  const path = join(folder, 'desktop.log');
  createDesktopLog({ path }).info({ at: 1 }, 'x'.repeat(1000));
  createDesktopLog({ path, maxBytes: 500 }).info({ at: 2 }, 'after');
  expect([linesOf('desktop.1.log'), linesOf('desktop.log')]).toEqual([[1], [2]]);
});

test.runIf(process.platform === 'linux')('throws nothing while the disk is full', () => {
  const log = createDesktopLog({ path: '/dev/full' });
  const line = 'x'.repeat(64 * 1024);
  for (let at = 0; at < 100; at++) expect(() => log.error({ at }, line)).not.toThrow();
});
