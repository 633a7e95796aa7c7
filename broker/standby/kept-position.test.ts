import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { forgetCopy, keepPosition, refuseCopy } from './kept-position.ts';

let folder: string;
let file: string;
let link: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-position-'));
  file = join(folder, 'main.db');
  link = join(folder, 'link.db');
  writeFileSync(file, 'store');
  symlinkSync(file, link);
  keepPosition(file, { id: 'log', pos: 1, epoch: 1 });
});
afterEach(() => rmSync(folder, { recursive: true }));

it.skipIf(process.platform === 'win32')('refuses a copy also by the name of a link to it', () => {
  for (const name of [file, link])
    expect(() => refuseCopy(name, 'nothing was done')).toThrow('one of the copies of machines');
});

it.skipIf(process.platform === 'win32')(
  'lets a copy become the only one, also by the name of a link',
  async () => {
    await forgetCopy(link);
    expect(() => refuseCopy(file, 'nothing was done')).not.toThrow();
  },
);
