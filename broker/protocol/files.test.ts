import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FsPath, MimeType } from './files.ts';

const parsed = (written: string): string | null => FsPath.safeParse(written).data ?? null;
const longest = `/${Array.from({ length: 5 }, () => 'x'.repeat(203)).join('/')}/abc`;

describe('a path', () => {
  it.each([
    ['/', '/'],
    ['/ada', '/ada'],
    ['/ada/', '/ada'],
    ['/ada/a b/ç.txt', '/ada/a b/ç.txt'],
    ['/ada/A', '/ada/A'],
    ['/ada/...', '/ada/...'],
    ['/ada/.hidden', '/ada/.hidden'],
    ['/ada/%2e%2e', '/ada/%2e%2e'],
    ['/ada/x'.padEnd(5 + 255, 'x'), '/ada/x'.padEnd(5 + 255, 'x')],
    [longest, longest],
    [`${longest}/`, longest],
    [`/${'🦊'.repeat(63)}/${'🦊'.repeat(63)}`, `/${'🦊'.repeat(63)}/${'🦊'.repeat(63)}`],
    // Characters that only look like separators and dots are ordinary characters of a name.
    ['/ada/\u2215/\u2024\u2024/\uff0f\uff3c', '/ada/\u2215/\u2024\u2024/\uff0f\uff3c'],
  ])('%j is %j', (written, path) => {
    expect([...path].length).toBeLessThanOrEqual(1024);
    expect(parsed(written)).toBe(path);
  });

  it.each([
    ['empty', ''],
    ['relative', 'ada/x'],
    ['of two slashes', '//'],
    ['with an empty segment', '/ada//x'],
    ['with two trailing slashes', '/ada//'],
    ['with .', '/ada/./x'],
    ['with ..', '/ada/../ben'],
    ['ending in ..', '/ada/..'],
    ['ending in ../', '/ada/../'],
    ['with NUL', '/ada/x\u0000'],
    ['with a line feed', '/ada/a\nb'],
    ['with DEL', '/ada/\u007f'],
    ['with a C1 control', '/ada/\u0085'],
    ['with a backslash', '/ada\\x'],
    ['in normal form D', '/ada/c\u0327'],
    ['with a Kelvin sign, which NFC makes a K', '/ada/\u212a'],
    ['with a lone surrogate', '/ada/\ud800'],
    ['with a segment of 256 bytes', `/ada/${'x'.repeat(256)}`],
    ['with a segment of 256 bytes in 64 characters', `/ada/${'🦊'.repeat(64)}`],
    ['of 1025 characters', `${longest}x`],
    ['of a megabyte', `/${'a/'.repeat(500_000)}`],
  ])('is refused when it is %s', (_, written) => {
    expect(parsed(written)).toBeNull();
  });

  const noise = fc.string({
    unit: fc.oneof(
      fc.constantFrom('/', '.', '..', '\\', '\0', '%2f', '%2e', ' ', '\u2215', '\u0307', 'ada', '🦊'),
      fc.string({ unit: 'binary', maxLength: 3 }),
    ),
    maxLength: 40,
  });

  it('that is accepted contains nothing forbidden, and parses to itself', () => {
    fc.assert(
      fc.property(noise, (text) => {
        const path = parsed(`/${text}`);
        if (path === null) return;
        expect(parsed(path)).toBe(path);
        expect(path.normalize('NFC')).toBe(path);
        expect(path).not.toMatch(/[\\\p{Cc}]/u);
        if (path === '/') return;
        expect(path).toMatch(/^(?:\/[^/]+)+$/);
        for (const segment of path.slice(1).split('/')) {
          expect(['.', '..']).not.toContain(segment);
          expect(Buffer.byteLength(segment)).toBeLessThanOrEqual(255);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a MIME type', () => {
  it.each(['text/plain', 'text/plain;charset=UTF-8', 'image/svg+xml', 'a/b; c="d; e"; f=g'])(
    'may be %s',
    (type) => {
      expect(MimeType.safeParse(type).success).toBe(true);
    },
  );
  it.each([
    '',
    'text',
    'text/',
    '/plain',
    'text/plain\r\nX: y',
    'text/plain; a="\u0001"',
    'té/x',
    `a/${'b'.repeat(300)}`,
  ])('may not be %j, which a header could not carry', (type) => {
    expect(MimeType.safeParse(type).success).toBe(false);
  });
});
