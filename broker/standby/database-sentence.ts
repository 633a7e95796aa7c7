/** Explains a failed connection to a database to a person, in one sentence. */
import { codeOf, reasonOf } from '#platform/error-text.ts';
import { StartUpError } from '../runtime/start-up-error.ts';

export const unreachable =
  'the database cannot be reached; check the host, the port, and the network between them';
const untrusted =
  'the certificate of the database is not trusted; add sslrootcert=/path/to/ca.crt to the address if its authority is your own, and use the name that the certificate has';
/** By the codes of PostgreSQL and of the system. */
const sentenceByCode: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at the address of the database; check the host and the port',
  ENOTFOUND: 'the host of the database cannot be found; check its name',
  EAI_AGAIN: 'the host of the database cannot be found; check its name and the network',
  ETIMEDOUT: unreachable,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  ECONNRESET: unreachable,
  '28P01': 'the database refused the user name or the password',
  '28000':
    'the database does not let this user log in from this machine; check the user name and its access rules',
  '3D000': 'the server has no database of this name; create it first',
  '42501': 'the user has no right to the tables of the team in this database; make the user its owner',
  '53300': 'the database has too many connections already; raise its limit',
  '57P03': 'the database is starting or ending; try again in a moment',
};

/** Returns why a database cannot be used, and what to do about it. */
export function sentenceOf(error: unknown): string {
  if (error instanceof StartUpError) return error.message;
  const code = codeOf(error) ?? '';
  const text = reasonOf(error);
  const isFile = error instanceof Error && 'syscall' in error && error.syscall !== 'connect';
  if ((code === 'ENOENT' || code === 'EACCES') && isFile)
    return `the file of sslrootcert cannot be read (${code}); correct its path, and let the user of the broker read it`;
  if (code === 'ENOENT') return unreachable;
  if (/SSL/.test(text) && !/^ERR_|CERT/.test(code))
    return 'the database does not encrypt connections; turn TLS on there (ssl = on)';
  if (/CERT|SIGNED|ISSUER|ALTNAME|LEAF/.test(code)) return untrusted;
  if (/time-?out/i.test(text)) return `${unreachable} (it did not answer in time)`;
  if (/password must be a string/.test(text))
    return 'the database asks for a password, and the address has none';
  return sentenceByCode[code] ?? `the database cannot be used: ${text}`;
}
