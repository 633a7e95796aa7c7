/**
 * An S3 server on a loopback port that is as strict as S3: fauxqs keeps the objects, and a proxy before it checks what
 * fauxqs does not (If-None-Match, lengths, checksums, and the age of a signature) and plays the faults.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { buildApp } from 'fauxqs';

/** Decides about a request: undefined lets it pass. */
export type Fault = (request: { method: string; path: string; headers: IncomingHttpHeaders }) =>
  | undefined
  | { status: number; code: string }
  /** It never answers, answers after the promise, sends half of the answer, or does the work and sends nothing. */
  | 'hang'
  | 'truncate'
  | 'lose-answer'
  | Promise<void>;

export interface StrictS3 {
  url: string;
  env: Record<string, string>;
  fault: Fault | null;
  /** `METHOD /path` of each request. */
  requests: string[];
  keys(): Promise<string[]>;
  /** Of an object, by its key. */
  text(key: string): Promise<string>;
  /** Moves the times of all objects that are listed into the past. */
  agedByMs: number;
  /** Stops listening, and keeps the objects. */
  end(): Promise<void>;
  /** Listens again at the same port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export const bucketName = 'team-files';

const errorOf = (code: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`;

/** Returns the code of the refusal, and its status. */
function faultOf(method: string, headers: IncomingHttpHeaders, body: Buffer): [number, string] | null {
  const signedAt = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(String(headers['x-amz-date']));
  if (!String(headers.authorization).startsWith('AWS4-HMAC-SHA256 ') || signedAt === null)
    return [403, 'AccessDenied'];
  const [, year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = signedAt.map(Number);
  const age = Date.now() - Date.UTC(year, month - 1, day, hour, minute, second);
  if (Math.abs(age) > 15 * 60_000) return [403, 'RequestTimeTooSkewed'];
  if (method !== 'PUT' || headers['x-amz-copy-source'] !== undefined) return null;
  if (headers['content-length'] === undefined) return [411, 'MissingContentLength'];
  if (Number(headers['content-length']) !== body.length) return [400, 'IncompleteBody'];
  const sum = headers['x-amz-checksum-sha256'];
  if (sum !== undefined && sum !== createHash('sha256').update(body).digest('base64'))
    return [400, 'BadDigest'];
  return null;
}

export async function startStrictS3(): Promise<StrictS3> {
  const behind = buildApp({ logger: false });
  await behind.inject({ method: 'PUT', url: `/${bucketName}` });
  const state = { fault: null as Fault | null, requests: [] as string[], agedByMs: 0 };
  let writing: Promise<unknown> = Promise.resolve();

  async function pass(request: IncomingMessage, body: Buffer) {
    const { method = '', url = '', headers } = request;
    const path = url.split('?')[0] ?? '';
    if (method === 'PUT' && headers['if-none-match'] === '*') {
      const present = await behind.inject({ method: 'HEAD', url: path });
      if (present.statusCode === 200) return null;
    }
    const kept = ['range', 'content-type', 'x-amz-copy-source'];
    const passed = Object.fromEntries(Object.entries(headers).filter(([name]) => kept.includes(name)));
    return behind.inject({
      method: method as 'PUT',
      url,
      headers: { 'content-type': 'application/octet-stream', ...passed },
      ...(method === 'PUT' && { payload: body }),
    });
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    state.requests.push(`${method} ${url.split('?')[0]}`);
    const fault = state.fault?.({ method, path: url, headers });
    if (fault === 'hang') return;
    const body = await buffer(request);
    if (fault instanceof Promise) await fault;
    const refused = faultOf(method, headers, body);
    const early =
      refused ?? (typeof fault === 'object' && 'code' in fault ? [fault.status, fault.code] : null);
    if (early !== null) {
      response.writeHead(Number(early[0])).end(method === 'HEAD' ? '' : errorOf(String(early[1])));
      return;
    }
    // One write at a time, so that a condition is checked and met as one step.
    const turn = writing.then(() => pass(request, body));
    writing = turn.catch(() => undefined);
    const passed = await turn;
    if (fault === 'lose-answer') {
      request.socket.destroy();
      return;
    }
    if (passed === null) {
      response.writeHead(412).end(errorOf('PreconditionFailed'));
      return;
    }
    let content = passed.rawPayload;
    if (state.agedByMs > 0 && url.includes('list-type'))
      content = Buffer.from(
        passed.payload.replace(
          /<LastModified>(.*?)<\/LastModified>/g,
          (_, at: string) =>
            `<LastModified>${new Date(Date.parse(at) - state.agedByMs).toISOString()}</LastModified>`,
        ),
      );
    for (const name of ['content-type', 'etag', 'content-range', 'last-modified']) {
      const value = passed.headers[name];
      if (value !== undefined) response.setHeader(name, value);
    }
    response.setHeader(
      'content-length',
      method === 'HEAD' ? String(passed.headers['content-length'] ?? 0) : content.length,
    );
    response.writeHead(passed.statusCode);
    if (fault === 'truncate')
      response.write(content.subarray(0, content.length / 2), () => request.socket.destroy());
    else response.end(method === 'HEAD' ? undefined : content);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => request.socket.destroy());
  });
  const listen = async (port: number): Promise<void> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const end = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const url = `http://127.0.0.1:${port}`;
  return Object.assign(state, {
    url,
    env: {
      AWS_ENDPOINT_URL_S3: url,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'key',
      AWS_SECRET_ACCESS_KEY: 'secret',
    },
    async keys() {
      const { payload } = await behind.inject({ url: `/${bucketName}?list-type=2` });
      return [...payload.matchAll(/<Key>(.*?)<\/Key>/g)].map(([, key = '']) => key).sort();
    },
    text: async (key: string) => (await behind.inject({ url: `/${bucketName}/${key}` })).payload,
    end,
    restart: () => listen(port),
    async stop() {
      if (server.listening) await end();
      await behind.close();
    },
  });
}
