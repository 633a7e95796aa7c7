import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { connectionLimit, fileLimitNotice } from './file-limit.ts';

it('is what the system says, without what the broker itself needs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-limits-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'limits');
  expect(connectionLimit(path)).toBeNull();
  writeFileSync(
    path,
    'Limit  Soft Limit  Hard Limit  Units\nMax open files            512       1024      files\n',
  );
  expect(connectionLimit(path)).toBe(384);
});

it('is told to the person who runs the broker only if it is too low', () => {
  expect(fileLimitNotice(null, 4096)).toBeNull();
  expect(fileLimitNotice(4096, 4096)).toBeNull();
  expect(fileLimitNotice(384, 4096)).toContain('accepts only 384 connections instead of 4096');
});
