/**
 * Computes the codes of an authenticator (RFC 6238 with SHA-1, six digits, 30 s), which confirms an
 * enrollment without using up a code.
 */
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const stepMs = 30_000;

function bytesOf(secret: string): Uint8Array<ArrayBuffer> {
  const bits = [...secret.replaceAll('=', '').toUpperCase()]
    .map((letter) => Math.max(0, alphabet.indexOf(letter)).toString(2).padStart(5, '0'))
    .join('');
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
}

async function codeOf(key: CryptoKey, step: number): Promise<string> {
  const counter = new DataView(new ArrayBuffer(8));
  counter.setBigUint64(0, BigInt(step));
  const mac = new DataView(await crypto.subtle.sign('HMAC', key, counter.buffer));
  const at = mac.getUint8(19) & 0xf;
  return String((mac.getUint32(at) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

/**
 * Returns the code of `now` and those of the step before and after. Needs a secure context (https or this
 * machine).
 */
export async function totpCodes(secret: string, now: number): Promise<string[]> {
  const key = await crypto.subtle.importKey('raw', bytesOf(secret), { name: 'HMAC', hash: 'SHA-1' }, false, [
    'sign',
  ]);
  const step = Math.floor(now / stepMs);
  return Promise.all([step - 1, step, step + 1].map((one) => codeOf(key, one)));
}
