import { createSecretKey, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openBytes, sealBytes } from './sealed-pages.ts';

const kek = createSecretKey(randomBytes(32));
const body = Buffer.from('a page of messages '.repeat(100));

describe('a sealed body', () => {
  it('opens for its place and shows nothing of its content', () => {
    const sealed = sealBytes(kek, body, 'main:7:1');
    expect(sealed.includes('messages')).toBe(false);
    expect(openBytes(kek, sealed, 'main:7:1')?.equals(body)).toBe(true);
  });

  it('differs each time', () => {
    expect(sealBytes(kek, body, 'main:7:1').equals(sealBytes(kek, body, 'main:7:1'))).toBe(false);
  });

  it.each([
    ['for another place', (sealed: Buffer) => openBytes(kek, sealed, 'main:8:1')],
    ['with another key', (sealed: Buffer) => openBytes(createSecretKey(randomBytes(32)), sealed, 'main:7:1')],
    ['when it is cut short', (sealed: Buffer) => openBytes(kek, sealed.subarray(0, 31), 'main:7:1')],
    ['without its end', (sealed: Buffer) => openBytes(kek, sealed.subarray(0, -1), 'main:7:1')],
  ])('does not open %s', (_, open) => {
    expect(open(sealBytes(kek, body, 'main:7:1'))).toBeNull();
  });

  it.each([0, 16, 40, -1])('does not open when one bit of byte %i is flipped', (at) => {
    const sealed = sealBytes(kek, body, 'main:7:1');
    const place = at < 0 ? sealed.length + at : at;
    sealed[place] = (sealed[place] ?? 0) ^ 1;
    expect(openBytes(kek, sealed, 'main:7:1')).toBeNull();
  });
});
