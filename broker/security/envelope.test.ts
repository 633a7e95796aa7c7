import { createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Envelope, open, seal } from './envelope.ts';

const bytes = randomBytes(32);
const kek = createSecretKey(bytes);
const field = 'totpSecret:ada';

it('opens what it sealed, whatever the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (plaintext) => {
      const envelope = seal(kek, plaintext, field);
      expect(Envelope.parse(envelope)).toEqual(envelope);
      expect(open(kek, envelope, field)).toBe(plaintext);
    }),
  );
});

it('is AES-256-GCM with a 12-byte iv, the 16-byte tag after the ciphertext, and the field as associated data', () => {
  const envelope = seal(kek, 'JBSWY3DPEHPK3PXP', field);
  const iv = Buffer.from(envelope.iv, 'base64');
  const ct = Buffer.from(envelope.ct, 'base64');
  expect(envelope.v).toBe(1);
  expect(iv).toHaveLength(12);
  expect(ct).toHaveLength(16 + 16);
  const decipher = createDecipheriv('aes-256-gcm', bytes, iv);
  decipher.setAAD(Buffer.from('totpSecret:ada'));
  decipher.setAuthTag(ct.subarray(16));
  const plaintext = Buffer.concat([decipher.update(ct.subarray(0, 16)), decipher.final()]);
  expect(plaintext.toString()).toBe('JBSWY3DPEHPK3PXP');
});

it('never uses an iv twice', () => {
  const ivs = Array.from({ length: 100 }, () => seal(kek, 'x', field).iv);
  expect(new Set(ivs).size).toBe(100);
});

it('does not open under another field, so envelopes cannot be swapped', () => {
  expect(open(kek, seal(kek, 'x', field), 'totpSecret:bob')).toBeNull();
});

it('does not open with another key', () => {
  expect(open(createSecretKey(randomBytes(32)), seal(kek, 'x', field), field)).toBeNull();
});

it('does not open a version it does not know', () => {
  expect(open(kek, { ...seal(kek, 'x', field), v: 2 }, field)).toBeNull();
});

it('does not open an envelope with one changed bit or a missing byte', () => {
  const envelope = seal(kek, 'secret', field);
  for (const part of ['ct', 'iv'] as const) {
    const original = Buffer.from(envelope[part], 'base64');
    for (let bit = 0; bit < original.length * 8; bit++) {
      const damaged = Buffer.from(original);
      damaged[bit >> 3]! ^= 1 << (bit & 7);
      expect(open(kek, { ...envelope, [part]: damaged.toString('base64') }, field)).toBeNull();
    }
    for (let length = 0; length < original.length; length++) {
      const cut = original.subarray(0, length).toString('base64');
      expect(open(kek, { ...envelope, [part]: cut }, field)).toBeNull();
    }
  }
});
