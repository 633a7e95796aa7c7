/** The fields, headers, and query parameters that contain secrets, by their names. */

/**
 * The possible endings of a name, without case and separators: `OPENAI_API_KEY`, `refreshToken`, `db.password`.
 * Counts (`max_tokens`) are not secrets.
 */
const endings = [
  'token',
  'accesstokens',
  'refreshtokens',
  'password',
  'passwords',
  'passwd',
  'passphrase',
  'passwort',
  'kennwort',
  'motdepasse',
  'wachtwoord',
  'senha',
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
  'accountkey',
  'licensekey',
  'licencekey',
  'sessionkey',
  'webhookkey',
  'hmackey',
  'serverkey',
  'deploykey',
  'servicerolekey',
  'recoverykey',
  'recoverycode',
  'mnemonic',
  'instrumentationkey',
  'consumerkey',
  'adminkey',
  'privatekeypem',
  'phpsessid',
  'jsessionid',
  'seedphrase',
  'appkey',
  'applicationkey',
  'masterkey',
  'presharedkey',
  'secretkeybase',
  'setupkey',
  'devicecode',
  'passcode',
  'svcsession',
  'svcdevice',
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

/** The name of a field in JSON, an environment variable, or a form. */
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

/** The name of a query parameter, as it is in the address, encoded or not. */
export function isSecretParameter(name: string): boolean {
  const plain = decoded(name).toLowerCase();
  return queryNames.has(plain) || plain.endsWith('signature') || isSecretName(plain);
}

/** Decodes percent signs where possible. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
