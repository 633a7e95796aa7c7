/**
 * The broker's key for secrets, encrypted with a passphrase: scrypt, then an envelope
 * (specification/backup.md#the-key).
 */
import { createSecretKey, type KeyObject, randomBytes, type ScryptOptions, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { z } from 'zod';
import { keyText, parseKey } from '../config/kek-text.ts';
import { Envelope, open, seal } from '../security/envelope.ts';

const keyBytes = 32;
const saltBytes = 16;
/** 128 MiB and about half a second per guess. */
const cost = { N: 2 ** 17, r: 8, p: 1 };
/** A file that demands more is refused: it would only exhaust the machine. */
const maxN = 2 ** 20;
const field = 'backup:key';

export const minPassphrase = 12;

export const SealedKey = z.object({
  format: z.literal(1),
  salt: z.base64().min(1),
  N: z.int().positive().max(maxN),
  r: z.int().positive().max(16),
  p: z.int().positive().max(16),
  key: Envelope,
});
export type SealedKey = z.infer<typeof SealedKey>;

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

async function lockOf(passphrase: string, salt: Buffer, { N, r, p }: typeof cost): Promise<KeyObject> {
  const maxmem = 256 * N * r;
  return createSecretKey(await derive(passphrase.normalize('NFC'), salt, keyBytes, { N, r, p, maxmem }));
}

export async function sealKey(key: KeyObject, passphrase: string): Promise<SealedKey> {
  const salt = randomBytes(saltBytes);
  const lock = await lockOf(passphrase, salt, cost);
  return { format: 1, salt: salt.toString('base64'), ...cost, key: { ...seal(lock, keyText(key), field) } };
}

/** Returns null for a wrong passphrase or a damaged file. */
export async function openSealedKey(sealed: SealedKey, passphrase: string): Promise<KeyObject | null> {
  const lock = await lockOf(passphrase, Buffer.from(sealed.salt, 'base64'), sealed);
  const text = open(lock, sealed.key, field);
  return text === null ? null : parseKey(text);
}
