import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { alwaysWhole } from '../toolbox/tool.ts';
import { shortenResult } from './shorten-result.ts';

it('leaves what a tool may count on, and says where the rest of a longer text is', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'muster-results-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const whole = 'x'.repeat(alwaysWhole);
  expect(await shortenResult(folder, whole)).toEqual({ text: whole, shown: alwaysWhole });
  const long = '😀'.repeat(40_000);
  const { text, shown } = await shortenResult(folder, long);
  expect(shown).toBeGreaterThan(alwaysWhole);
  expect(text.isWellFormed()).toBe(true);
  const [path] = /[^ ]+\.txt/.exec(text) ?? [];
  expect(await readFile(path ?? '', 'utf8')).toBe(long);
});
