/**
 * Answers requests to the console's scheme. Pages and built files are requested from the broker without a
 * socket, or read if this machine stands by, so they have the broker's own headers and policy. Bytes of team files come over the loopback
 * listener as a stream.
 */
import { type ConsoleFiles, consoleFileOf, readConsoleFiles } from '../broker/create-broker.ts';
import type { BrokerHost } from './broker-host.ts';
import { consoleRequestOf } from './console-request.rules.ts';
import { faultPage, faultPolicy } from './fault-page.rules.ts';
import type { SessionJar } from './session-jar.ts';
import { isServed } from './tray-model.rules.ts';

const passedHeaders = ['content-type', 'content-length', 'range', 'if-none-match', 'x-svc-protocol'];

export interface ConsoleSchemeDeps {
  host: BrokerHost;
  jar: SessionJar;
  consoleFolder: string;
  logPath: string;
  /** Called when a page was asked for while the broker does not answer. */
  onFault(): void;
}

export function createConsoleScheme({
  host,
  jar,
  consoleFolder,
  logPath,
  onFault,
}: ConsoleSchemeDeps): (request: Request) => Promise<Response> {
  const refusal = (status: number, message: string): Response =>
    new Response(message, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } });

  function fault(): Response {
    onFault();
    return new Response(faultPage(host.state, logPath), {
      status: 503,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': faultPolicy,
        'cache-control': 'no-store',
      },
    });
  }

  let files: Promise<ConsoleFiles> | null = null;
  /** The files of this app and not those of the active machine, because they use the bridge and stay after a takeover. */
  async function ownFile(path: string): Promise<Response> {
    files ??= readConsoleFiles(consoleFolder);
    const read = await files.catch(() => null);
    if (read === null) {
      // They are read again for the next one.
      files = null;
      return refusal(503, 'the files of the console cannot be read');
    }
    const found = consoleFileOf(read, path.split('?', 1)[0] ?? '');
    if (found === null) return refusal(404, 'there is no such page');
    return new Response(new Uint8Array(found.file.bytes), { headers: found.headers });
  }

  return async (request) => {
    const wanted = consoleRequestOf(request.method, request.url);
    if (wanted === null) return refusal(404, 'there is no such page');
    if (wanted.kind === 'retry') {
      if (host.state.kind === 'failed') void host.start();
      return fault();
    }
    if (!isServed(host.state)) {
      if (wanted.kind === 'page') return fault();
      // The page may have come a moment before this machine became the active one.
      return wanted.kind === 'built' ? ownFile(wanted.path) : refusal(503, 'the broker is not running');
    }
    const headers: Record<string, string> = {};
    for (const name of passedHeaders) {
      const value = request.headers.get(name);
      if (value !== null) headers[name] = value;
    }
    if (wanted.kind !== 'bytes') {
      if (host.state.kind === 'standingBy') return ownFile(wanted.path);
      const {
        status,
        headers: answered,
        body,
      } = await host.request({ method: 'GET', url: wanted.path, headers });
      const bytes = status === 204 || status === 304 ? null : new Uint8Array(body);
      return new Response(bytes, { status, headers: answered });
    }
    const exchange = jar.exchange();
    const reply = await fetch(host.address + wanted.path, {
      headers: { ...headers, 'accept-encoding': 'identity', ...exchange.headers },
      redirect: 'error',
    });
    exchange.keepCookie(reply.headers.getSetCookie());
    const answered = new Headers(reply.headers);
    answered.delete('set-cookie');
    return new Response(reply.body, { status: reply.status, headers: answered });
  };
}
