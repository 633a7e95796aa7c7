import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../bin/usage-error.ts';
import { readBenchOptions } from './bench-options.ts';
import { scaleOperations } from './scale-operations.ts';
import { full, smallestShare, usual } from './store-sizes.ts';

const faultOf = (...args: string[]): string => {
  try {
    readBenchOptions(args);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error(`accepted: ${args.join(' ')}`);
};

describe('readBenchOptions', () => {
  it('compares without options', () => {
    expect(readBenchOptions([])).toEqual({ kind: 'compare', isQuick: false });
    expect(readBenchOptions(['--quick'])).toEqual({ kind: 'compare', isQuick: true });
  });

  it('compares with another version with --against, and with nothing else beside it', () => {
    expect(readBenchOptions(['--against', 'v1', '--quick'])).toEqual({
      kind: 'against',
      commit: 'v1',
      isQuick: true,
    });
    expect(faultOf('--against', 'v1', '--scale')).toContain('pass one');
    expect(faultOf('--against', 'v1', '--only', 'push')).toContain('--only needs --scale');
  });

  it('times everything with --scale', () => {
    expect(readBenchOptions(['--scale'])).toEqual({
      ...{ kind: 'scale', whole: usual, share: 1, keep: null },
      ...{ operations: scaleOperations, isEverything: true },
    });
  });

  it.each([[['--size', '0.5']], [['--full']], [['--only', 'search']]])(
    'does not call %j everything',
    (options) => {
      expect(readBenchOptions(['--scale', ...options])).toMatchObject({ isEverything: false });
    },
  );

  it('takes the smallest size of each store', () => {
    const smallest = { usual: smallestShare(usual), full: smallestShare(full) };
    expect(readBenchOptions(['--scale', '--size', String(smallest.usual)])).toMatchObject({
      share: smallest.usual,
    });
    expect(readBenchOptions(['--scale', '--full', '--size', String(smallest.full)])).toMatchObject({
      share: smallest.full,
    });
  });

  it.each([
    [['--size', '0.5'], '--size needs --scale.'],
    [['--size', '1'], '--size needs --scale.'],
    [['--only', 'search'], '--only needs --scale.'],
    [['--full'], '--full needs --scale.'],
    [['--keep', 'folder', '--quick'], '--keep needs --scale.'],
    [['--scale', '--quick'], '--quick has no effect with --scale: pass --size for a smaller store.'],
    [['--scal'], "Unknown option '--scal': npm run bench -- --help shows all options."],
    [
      ['--scale', '--only', 'nonsense'],
      'no read has "nonsense" in its name: pass a part of one, for example "search".',
    ],
  ])('refuses %j', (args, fault) => {
    expect(faultOf(...args)).toBe(fault);
  });

  it.each([[['scale']], [['--scale', '--size']], [['--scale=yes']]])('refuses %j in one line', (args) => {
    expect(faultOf(...args)).toMatch(/^[^\n]+: npm run bench -- --help shows all options\.$/);
  });

  it.each(['abc', '', '0', '-1', '0.001', '0.01', '0.1', '1.5', 'Infinity', 'NaN'])(
    'refuses the size "%s" and names the smallest one',
    (size) => {
      expect(faultOf('--scale', `--size=${size}`)).toContain(
        `--size "${size}" is not a number from ${smallestShare(usual)} to 1`,
      );
    },
  );
});

describe('the command', () => {
  it.each([[['--scal']], [['--scale', '--size', 'abc']], [['--scale', '--only', 'nonsense']], [['--full']]])(
    'ends with 64 and one line for %j, and fills nothing',
    (args) => {
      const main = fileURLToPath(new URL('main.ts', import.meta.url));
      const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' });
      expect({ status, stdout }).toEqual({ status: 64, stdout: '' });
      expect(stderr).toMatch(/^bench: [^\n]+\n$/);
    },
  );
});
