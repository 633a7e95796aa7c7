import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createCrashReports } from './crash-reports.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-crash-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('names the failure and its place in a report that only this account can read', () => {
  const path = createCrashReports({ folder, version: '1.2.3', now: () => 0 }).write(new TypeError('no tray'));
  expect(statSync(path ?? '').mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(path ?? '', 'utf8'))).toMatchObject({
    at: '1970-01-01T00:00:00.000Z',
    version: '1.2.3',
    error: { name: 'TypeError', message: 'no tray', stack: expect.stringContaining('crash-reports.test') },
  });
});

it('keeps the newest ten reports', () => {
  let time = 0;
  const reports = createCrashReports({ folder, version: '1', now: () => time });
  for (; time < 12_000; time += 1000) reports.write('x');
  expect(readdirSync(folder)).toHaveLength(10);
  expect(readdirSync(folder)[0]).toBe('crash-1970-01-01T00-00-02-000Z.json');
});

it('causes no second crash if the folder cannot be created', () => {
  const inTheWay = join(folder, 'file');
  writeFileSync(inTheWay, '');
  expect(createCrashReports({ folder: inTheWay, version: '1', now: () => 0 }).write('x')).toBeNull();
});

it('causes no second crash if what was thrown has no text', () => {
  const path = createCrashReports({ folder, version: '1', now: () => 0 }).write(Object.create(null));
  expect(readFileSync(path ?? '', 'utf8')).toContain('an unknown error');
});
