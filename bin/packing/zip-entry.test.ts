import { describe, expect, it } from 'vitest';
import { zipOf } from './testing/zip-of.ts';
import { zipEntry } from './zip-entry.ts';

const text = 'a'.repeat(10_000);

describe('a file of a zip archive', () => {
  const archive = zipOf({ 'a/stored.txt': 'short', 'a/LICENSE': text }, 'A comment');

  it('is read, deflated or stored', () => {
    expect(zipEntry(archive, 'a/stored.txt')?.toString()).toBe('short');
    expect(zipEntry(archive, 'a/LICENSE')?.toString()).toBe(text);
  });

  it('is null if there is no such file', () => {
    expect(zipEntry(archive, 'LICENSE')).toBeNull();
  });

  it('is refused in a file that is no archive, or a damaged one', () => {
    expect(() => zipEntry(Buffer.alloc(100), 'a')).toThrow('not a zip archive');
    expect(() => zipEntry(Buffer.alloc(3), 'a')).toThrow('not a zip archive');
    const damaged = Buffer.from(archive);
    damaged.writeUInt32LE(0, 0);
    expect(() => zipEntry(damaged, 'a/stored.txt')).toThrow('damaged');
  });
});
