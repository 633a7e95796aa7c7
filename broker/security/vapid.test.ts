import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { expect, it } from 'vitest';
import { isVapidPrivateKey, isVapidPublicKey, mintVapidKeys } from './vapid.ts';

it('mints a P-256 pair whose halves belong together', () => {
  const { publicKey, privateKey } = mintVapidKeys();
  const point = Buffer.from(publicKey, 'base64url');
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  };
  const signature = sign(
    'sha256',
    Buffer.from('x'),
    createPrivateKey({ key: { ...jwk, d: privateKey }, format: 'jwk' }),
  );
  const signedByIt = verify(
    'sha256',
    Buffer.from('x'),
    createPublicKey({ key: jwk, format: 'jwk' }),
    signature,
  );
  expect(signedByIt).toBe(true);
  expect(isVapidPublicKey(publicKey)).toBe(true);
  expect(isVapidPrivateKey(privateKey)).toBe(true);
});

it('tells a public key from a private one and from other text', () => {
  const { publicKey, privateKey } = mintVapidKeys();
  for (const text of [
    privateKey,
    '',
    `${publicKey}AAAA`,
    `${publicKey}=`,
    Buffer.alloc(65).toString('base64url'),
  ]) {
    expect(isVapidPublicKey(text)).toBe(false);
  }
  for (const text of [publicKey, '', `${privateKey}=`, 'short']) expect(isVapidPrivateKey(text)).toBe(false);
});
