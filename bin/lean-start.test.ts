import { execFileSync } from 'node:child_process';
import process from 'node:process';
import { expect, it } from 'vitest';
import { leanFlags } from './lean-start.js';

const nameOf = (flag: string): string => flag.replace(/^--(?:no-)?/, '').replace(/=.*/, '');

it.each(leanFlags().map(nameOf))('Node knows the V8 flag --%s that a run sets', (name) => {
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  expect(known).toMatch(new RegExp(`^ *--${name} \\(`, 'm'));
});

it('sets no flag on Node 24 that it would complain about', () => {
  const flags = ['--semi-space-growth-factor=1', '--heap-growing-percent=50', '--no-opt', '--no-maglev'];
  expect(leanFlags('24.11.0')).toEqual(flags);
  expect(leanFlags('26.10.0')).toEqual([...flags, '--no-large-page-pool', '--memory-saver-mode']);
});
