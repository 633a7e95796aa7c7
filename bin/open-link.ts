/**
 * Opens a link that logs in, without showing it to other accounts of the machine, which can read the arguments of an opener
 * and of a browser, and the link would be theirs as well.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
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

/** `platform` and the `folder` of temporary files are those of this machine, except in tests. */
interface Surroundings {
  platform?: string;
  folder?: string;
}

/** @param link creates the link when a browser of this account asks for it. */
export async function openLink(
  link: () => Promise<string>,
  env: Env,
  { platform = process.platform, folder = tmpdir() }: Surroundings = {},
): Promise<Opening> {
  const path = `/${randomBytes(16).toString('base64url')}`;
  const { promise: fetched, resolve: end } = Promise.withResolvers<boolean>();
  let isUsed = false;
  const gate = await listenOnLoopback(async ({ method, url, socket }, response) => {
    if (method !== 'GET' || url !== path || isUsed)
      return void response.writeHead(404, { connection: 'close' }).end();
    isUsed = true;
    if (platform === 'linux' && !isOfThisAccount(socket)) {
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
  const address = `http://127.0.0.1:${gate.port}${path}`;
  const page = platform === 'linux' ? null : await createPage(address, folder).catch(() => undefined);
  const close = async (): Promise<void> => {
    clearTimeout(timer);
    end(false);
    await gate.close();
    await page?.remove();
  };
  const isTaken = page !== undefined && (await openUrl(page?.url ?? address, env, platform));
  if (!isTaken) end(false);
  const isFetched = fetched.then(async (isShown) => {
    await close();
    return isShown;
  });
  return { isTaken, isFetched, close };
}

/**
 * Creates a page that only this account can read and that leads to `address`. If the system does not say who owns a
 * connection, the address is secret. Browsers on Linux often may not read such files.
 */
async function createPage(
  address: string,
  folder: string,
): Promise<{ url: string; remove: () => Promise<void> }> {
  const own = await mkdtemp(join(folder, 'muster-open-'));
  const file = join(own, 'console.html');
  const html = `<!doctype html><meta charset="utf-8"><title>Muster</title><meta http-equiv="refresh" content="0;url=${address}">\n`;
  await writeFile(file, html, { mode: 0o600, flag: 'wx' });
  return { url: pathToFileURL(file).href, remove: () => rm(own, { recursive: true, force: true }) };
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
