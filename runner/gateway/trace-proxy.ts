/**
 * The proxy of `--trace-http`: where else the agent connects. Of encrypted connections, it sees only the host
 * and the time. Only a client with its credentials can use it.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { codeOf, reasonOf } from '#platform/error-text.ts';
import type { ActivityEvent } from '#protocol/activity.ts';
import { AgentError } from '../agents/agent.ts';
import { createBodyCopy } from './body-copy.ts';
import { previewOf } from './copied-preview.ts';
import { headersByName } from './forwarded-headers.rules.ts';
import { listenOnLoopback } from './loopback-server.ts';
import { opaqueEvent } from './opaque-event.rules.ts';
import { passThrough } from './pass-through.ts';
import { proxyEnvironment, proxyInEnvironment } from './proxy-environment.rules.ts';

export interface TraceProxyOptions {
  /** One `opaque_http`, masked. */
  onOpaque(event: ActivityEvent): void;
  now: () => number;
  log: (event: string, data?: object) => void;
  /** The agent's other environment: its NO_PROXY is kept. */
  env?: Readonly<Record<string, string | undefined>>;
}

export interface TraceProxy {
  /** Contains credentials: not for logs. */
  readonly url: string;
  /** To be added to the agent's environment; it contains the same credentials. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

const maxBodyBytes = 64 * 1024;
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** @throws AgentError if another proxy is set, which requests would bypass. */
export async function startTraceProxy(options: TraceProxyOptions): Promise<TraceProxy> {
  const { onOpaque, now, log, env = {} } = options;
  const taken = proxyInEnvironment(env);
  if (taken !== null)
    throw new AgentError(
      `--trace-http cannot be used while ${taken} names a proxy. Omit the option, or unset the variable.`,
    );
  const password = randomBytes(24).toString('base64url');
  const expected = digest(`Basic ${Buffer.from(`svc:${password}`).toString('base64')}`);
  const { Agent } = process.getBuiltinModule('node:http');
  const agent = new Agent();
  const tunnels = new Set<Duplex>();
  const reports = new Set<Promise<void>>();

  const isAllowed = (request: IncomingMessage): boolean =>
    timingSafeEqual(digest(request.headers['proxy-authorization'] ?? ''), expected);

  async function pass(request: IncomingMessage, response: ServerResponse, target: URL): Promise<void> {
    const startedAt = now();
    const budget = { left: 2 * maxBodyBytes };
    const asked = createBodyCopy(maxBodyBytes, budget);
    const answered = createBodyCopy(maxBodyBytes, budget);
    const { answer } = await passThrough({
      request,
      response,
      origin: target,
      path: target.pathname + target.search,
      agent,
      onRequestBytes: asked.add,
      onResponseBytes: answered.add,
    });
    const endedAt = now();
    const requestHeaders = headersByName(request.rawHeaders);
    const responseHeaders = headersByName(answer?.rawHeaders ?? []);
    onOpaque(
      opaqueEvent({
        startedAt,
        endedAt,
        host: target.host,
        method: request.method ?? 'GET',
        url: target.href,
        status: answer?.status ?? null,
        requestHeaders,
        responseHeaders,
        requestBodyPreview: await previewOf(asked, requestHeaders),
        responseBodyPreview: await previewOf(answered, responseHeaders),
      }),
    );
  }

  const server = await listenOnLoopback(
    (request, response) => {
      if (!isAllowed(request)) {
        response.writeHead(407, { 'proxy-authenticate': 'Basic realm="svc"', connection: 'close' }).end();
        return;
      }
      const target = URL.canParse(request.url ?? '') ? new URL(request.url ?? '') : null;
      if (target?.protocol !== 'http:') {
        response.writeHead(400, { connection: 'close' }).end();
        return;
      }
      const report = pass(request, response, target).catch((error: unknown) => {
        log('request not reported', { reason: reasonOf(error) });
      });
      reports.add(report);
      void report.finally(() => reports.delete(report));
    },
    { isForOthers: true },
  );

  server.server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => {
    client.on('error', () => client.destroy());
    const place = /^(\[[0-9a-fA-F:.]+\]|[^:/?#[\]@]{1,255}):(\d{1,5})$/.exec(request.url ?? '');
    if (!isAllowed(request) || place === null) {
      const refusal = place === null ? '400 Bad Request' : '407 Proxy Authentication Required';
      client.end(`HTTP/1.1 ${refusal}\r\nProxy-Authenticate: Basic realm="svc"\r\nConnection: close\r\n\r\n`);
      return;
    }
    tunnel(client, head, place[0], (place[1] ?? '').replace(/^\[|\]$/g, ''), Number(place[2]));
  });

  function tunnel(client: Duplex, head: Buffer, host: string, hostname: string, port: number): void {
    const startedAt = now();
    let status: number | null = null;
    let remote: Socket | null = null;
    tunnels.add(client);
    client.once('close', () => {
      tunnels.delete(client);
      remote?.destroy();
      const nothing = { requestHeaders: {}, responseHeaders: {} };
      const unseen = { requestBodyPreview: null, responseBodyPreview: null };
      const entry = { method: 'CONNECT', url: host, host, status, startedAt, endedAt: now() };
      onOpaque(opaqueEvent({ ...entry, ...nothing, ...unseen }));
    });
    if (port > 65_535) {
      client.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
      return;
    }
    remote = connect({ host: hostname, port, noDelay: true });
    const opened = remote;
    opened.once('connect', () => {
      status = 200;
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      if (head.length > 0) opened.write(head);
      client.pipe(opened).pipe(client);
    });
    opened.once('error', (error) => {
      if (status !== null) return void client.destroy();
      status = 502;
      log('tunnel failed', { host, reason: codeOf(error) ?? error.message });
      client.end('HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n');
      return undefined;
    });
    opened.once('close', () => client.end(() => client.destroy()));
  }

  const url = `http://svc:${password}@127.0.0.1:${server.port}`;
  return {
    url,
    env: proxyEnvironment(url, env),
    async close() {
      const closed = [...tunnels].map((client) => new Promise((resolve) => client.once('close', resolve)));
      for (const client of tunnels) client.destroy();
      await server.close();
      await Promise.all([...closed, ...reports]);
      agent.destroy();
    },
  };
}
