import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ancestorsOf, childTowards, firstFree, numberedPath, parentOf, rangeBelow } from './fs-path.rules.ts';

describe('a numbered name', () => {
  it.each([
    ['/ada/foo.txt', '/ada/foo-1.txt'],
    ['/ada/foo', '/ada/foo-1'],
    ['/ada/a.tar.gz', '/ada/a.tar-1.gz'],
    ['/ada/.profile', '/ada/.profile-1'],
    ['/ada/foo.', '/ada/foo-1.'],
    ['/ada/d.d/foo', '/ada/d.d/foo-1'],
  ])('has the number before the last extension: %s becomes %s', (path, numbered) => {
    expect(numberedPath(path, 1)).toBe(numbered);
  });

  it('stays within the limits of a name', () => {
    expect(numberedPath(`/ada/${'x'.repeat(253)}`, 1)).not.toBeNull();
    expect(numberedPath(`/ada/${'x'.repeat(253)}`, 10)).toBeNull();
    expect(numberedPath(`/${Array(512).fill('a').join('/')}`, 1)).toBeNull();
  });

  it('uses the first free number, without walking a long series of them', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100_000 }), (taken) => {
        let asked = 0;
        const found = firstFree((n) => {
          asked += 1;
          return n <= taken;
        });
        expect(found).toBe(taken + 1);
        expect(asked).toBeLessThan(80);
      }),
    );
  });

  it('uses a free number, whichever are taken', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 300 }), { maxLength: 300 }), (taken) => {
        expect(taken).not.toContain(firstFree((n) => taken.includes(n)));
      }),
    );
  });
});

describe('what lies below a directory', () => {
  const segment = fc.string({
    unit: fc.constantFrom('a', 'b', '0', '-', '.', '!', 'é'),
    minLength: 1,
    maxLength: 3,
  });
  const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => `/${segments.join('/')}`);
  it('is exactly its range', () => {
    fc.assert(
      fc.property(path, path, (directory, other) => {
        const { from, to } = rangeBelow(directory);
        const bytes = (text: string) => Buffer.from(text);
        const isInRange =
          Buffer.compare(bytes(other), bytes(from)) > 0 && Buffer.compare(bytes(other), bytes(to)) < 0;
        expect(isInRange).toBe(other.startsWith(`${directory}/`));
        if (isInRange) expect(parentOf(childTowards(directory, other))).toBe(directory);
      }),
    );
  });

  it('has its ancestors above it, from the home down', () => {
    expect(ancestorsOf('/a/b/c')).toEqual(['/a', '/a/b']);
    expect(ancestorsOf('/a')).toEqual([]);
    expect(ancestorsOf('/')).toEqual([]);
  });
});
