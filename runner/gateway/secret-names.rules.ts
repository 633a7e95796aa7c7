/** Which fields, headers and query parameters hold secrets, told by their names. */

/** What a name may end in, without case and separators: `OPENAI_API_KEY`, `refreshToken`, `db.password`. Counts (`max_tokens`) are none. */
const endings = [
  'token',
  'accesstokens',
  'refreshtokens',
  'password',
  'passwords',
  'passwd',
  'passphrase',
  'secret',
  'secrets',
  'apikey',
  'apikeys',
  'accesskey',
  'accesskeyid',
  'secretkey',
  'privatekey',
  'signingkey',
  'encryptionkey',
  'authkey',
  'subscriptionkey',
  'runnerkey',
  'svckek',
  'credential',
  'credentials',
  'authorization',
  'cookie',
  'cookies',
  'jwt',
] as const;
const endingPattern = new RegExp(`(?:${endings.join('|')})$`);
const bearerPattern = /^bearer$|bearertoken$/;

/** Of a field in JSON, an environment variable or a form. */
export function isSecretName(name: string): boolean {
  if (name.length < 3 || name.length > 128) return false;
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return endingPattern.test(plain) || bearerPattern.test(plain);
}

const headerWords = new Set([
  'authorization',
  'auth',
  'cookie',
  'cookie2',
  'token',
  'secret',
  'password',
  'passwd',
  'key',
  'apikey',
  'signature',
  'credential',
  'credentials',
  'jwt',
  'bearer',
]);
const notSecret = new Set(['idempotency-key', 'sec-websocket-key', 'sec-websocket-accept']);

export function isSecretHeader(name: string): boolean {
  const lower = name.toLowerCase();
  if (notSecret.has(lower)) return false;
  return isSecretName(lower) || lower.split(/[-_.]/).some((word) => headerWords.has(word));
}

const queryNames = new Set(['key', 'code', 'sig', 'signature', 'auth', 'session', 'ticket', 'pwd', 'pass']);

/** Of a query parameter, as it stands in the address, encoded or not. */
export function isSecretParameter(name: string): boolean {
  const plain = decoded(name).toLowerCase();
  return queryNames.has(plain) || plain.endsWith('signature') || isSecretName(plain);
}

/** Percent signs resolved where they can be. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
