/**
 * Opens a link that logs in, without showing it to other accounts of the machine. The arguments of a browser are visible
 * to all of them on Linux, and the link would be theirs as well.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import process from 'node:process';
import type { Env } from '#protocol/paths.ts';
import { listenOnLoopback } from '../runner/gateway/loopback-server.ts';
import { openUrl } from './open-url.ts';

export interface Opening {
  /** The system took the address of the browser. */
  isTaken: boolean;
  /** Resolves with whether a browser of this account took the link, within its time. */
  isFetched: Promise<boolean>;
  /** Ends the wait. */
  close(): Promise<void>;
}

const patienceMs = 15_000;
const refusal = 'Open the link that the command prints in the terminal instead.\n';

/** @param link creates the link when a browser of this account asks for it. */
export async function openLink(link: () => Promise<string>, env: Env): Promise<Opening> {
  if (process.platform !== 'linux') {
    const isTaken = await openUrl(await link(), env);
    return { isTaken, isFetched: Promise.resolve(isTaken), close: async () => undefined };
  }
  const path = `/${randomBytes(16).toString('base64url')}`;
  const { promise: fetched, resolve: end } = Promise.withResolvers<boolean>();
  let isUsed = false;
  const gate = await listenOnLoopback(async ({ method, url, socket }, response) => {
    if (method !== 'GET' || url !== path || isUsed)
      return void response.writeHead(404, { connection: 'close' }).end();
    isUsed = true;
    if (!isOfThisAccount(socket)) {
      // Also a browser of another system on the same machine, of which nothing says whose it is.
      response.writeHead(403, { connection: 'close', 'content-type': 'text/plain' }).end(refusal);
      return end(false);
    }
    const location = await link().catch(() => null);
    if (location === null) response.writeHead(502, { connection: 'close' });
    else response.writeHead(302, { location, 'cache-control': 'no-store', connection: 'close' });
    response.once('close', () => end(location !== null && response.writableFinished)).end();
  });
  const timer = setTimeout(() => end(false), patienceMs);
  const close = async (): Promise<void> => {
    clearTimeout(timer);
    end(false);
    await gate.close();
  };
  const isTaken = await openUrl(`http://127.0.0.1:${gate.port}${path}`, env);
  if (!isTaken) end(false);
  const isFetched = fetched.then(async (isShown) => {
    await close();
    return isShown;
  });
  return { isTaken, isFetched, close };
}

/** Linux says which account holds the other end of a connection within the machine. */
function isOfThisAccount({ remotePort = 0, localPort = 0 }: Socket): boolean {
  const end = (port: number): string => `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const isEnd = (line: string): boolean => {
    const [, local = '', remote = '', state, , , , account] = line.trim().split(/\s+/);
    const isOther = local.endsWith(end(remotePort)) && remote.endsWith(end(localPort));
    return isOther && state === '01' && account === String(process.getuid?.());
  };
  try {
    // A browser may use a socket of IPv6 for an address of IPv4.
    return ['/proc/net/tcp', '/proc/net/tcp6'].some((file) => readLines(file).some(isEnd));
  } catch {
    return false;
  }
}

const readLines = (file: string): string[] => readFileSync(file, 'utf8').split('\n');
