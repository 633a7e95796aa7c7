/** Decides which addresses of a database the page may give, and what of an address is shown. */

export interface DatabasePlace {
  host: string;
  database: string;
}

/** Others could read files of this machine, or connect somewhere else than the host that the person is shown. */
const allowedParameters = new Set(['sslmode', 'sslrootcert', 'host']);

/** Returns what people may see of an address; null if it is none. */
export function placeOf(address: string): DatabasePlace | null {
  const url = URL.parse(address);
  if (url === null) return null;
  const socket = url.searchParams.get('host');
  try {
    const database = decodeURI(url.pathname.slice(1)) || decodeURIComponent(url.username);
    return { host: socket ?? (url.host || 'this machine'), database };
  } catch {
    return null;
  }
}

/** Returns why the app takes no such address from a page, in one sentence; null if it does. */
export function faultOfTyped(address: string): string | null {
  const url = URL.parse(address);
  const isKnown = url !== null && ['postgres:', 'postgresql:'].includes(url.protocol);
  // The client of the database would decode another host than the one that is shown.
  if (!isKnown || placeOf(address) === null || /\s/.test(address) || url.host.includes('%'))
    return 'the address of the database must be one such as postgres://user:password@host:5432/muster?sslmode=verify-full';
  const parameters = [...url.searchParams];
  const other = parameters.find(([name]) => !allowedParameters.has(name));
  if (other !== undefined)
    return `the address of the database may only have the parameters sslmode and sslrootcert, and not “${other[0]}”`;
  if (parameters.some(([name, value]) => name === 'host' && !value.startsWith('/')))
    return 'the parameter “host” in the address of the database must be the folder of a socket on this machine';
  if (new Set(parameters.map(([name]) => name)).size < parameters.length)
    return 'the address of the database has a parameter twice';
  return null;
}

/** Returns the file with the certificates that the address makes the app trust; null without one. */
export const certificatesOf = (address: string): string | null =>
  URL.parse(address)?.searchParams.get('sslrootcert') ?? null;
