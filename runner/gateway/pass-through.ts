/** One request on its way to its destination, and the answer back, byte for byte and as it arrives. */
import type { ClientRequest, Agent as HttpAgent, IncomingMessage, ServerResponse } from 'node:http';
import { codeOf, reasonOf } from '#platform/error-text.ts';
import { forwardedHeaders, pairsOf } from './forwarded-headers.rules.ts';

export interface Passage {
  request: IncomingMessage;
  response: ServerResponse;
  /** Its destination; the path is passed separately, so that it stays as it was written. */
  origin: URL;
  path: string;
  agent: HttpAgent;
  onRequestBytes(chunk: Buffer): void;
  onResponseBytes(chunk: Buffer): void;
}

export interface Passed {
  /** Null if no answer came. */
  answer: { status: number; rawHeaders: readonly string[] } | null;
  /** One sentence; null if the whole answer came. */
  failure: string | null;
  /** The agent closed the request before the answer was complete. */
  isAbandoned: boolean;
}

function explain(error: unknown, origin: URL): string {
  const cause = codeOf(error) ?? reasonOf(error);
  return `${origin.origin} cannot be reached (${cause}). Check the network, and the address in --model-url or in the agent's settings.`;
}

/**
 * As an object, whose order, case, and repeats Node keeps: to a list, it would not add what a proxy needs.
 */
function headersFor({ request, origin }: Passage): Record<string, string | string[]> {
  const headers = forwardedHeaders(request.rawHeaders, ['host', 'accept-encoding']);
  // A compressed answer would have to be decoded to be read.
  headers.push('Host', origin.host, 'Accept-Encoding', 'identity');
  const isPost = /^(?:POST|PUT|PATCH)$/.test(request.method ?? '');
  if (request.headers['transfer-encoding'] !== undefined) headers.push('Transfer-Encoding', 'chunked');
  else if (request.headers['content-length'] === undefined && isPost) headers.push('Content-Length', '0');
  const nameByLower = new Map<string, string>();
  const valuesByName = new Map<string, string[]>();
  for (const [given, value] of pairsOf(headers)) {
    const name = nameByLower.get(given.toLowerCase()) ?? given;
    nameByLower.set(given.toLowerCase(), name);
    valuesByName.set(name, [...(valuesByName.get(name) ?? []), value]);
  }
  return Object.fromEntries(
    [...valuesByName].map(([name, all]) => [name, all.length === 1 ? (all[0] ?? '') : all]),
  );
}

/**
 * Resolves when both sides are done; never rejects. The client gets 502 with one sentence if the other side
 * cannot be reached.
 */
export function passThrough(passage: Passage): Promise<Passed> {
  const { request, response, origin, path, agent } = passage;
  let answer: Passed['answer'] = null;
  let failure: string | null = null;

  function giveUp(sentence: string): void {
    failure ??= sentence;
    request.unpipe().resume();
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    const body = JSON.stringify({ type: 'error', error: { type: 'api_error', message: sentence } });
    response.writeHead(502, 'Bad Gateway', {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  }

  let upstream: ClientRequest;
  try {
    const { request: send } = process.getBuiltinModule(
      origin.protocol === 'https:' ? 'node:https' : 'node:http',
    );
    upstream = send({
      protocol: origin.protocol,
      hostname: origin.hostname.replace(/^\[|\]$/g, ''),
      port: origin.port,
      method: request.method ?? 'GET',
      path,
      headers: headersFor(passage),
      agent,
    });
  } catch (error) {
    giveUp(explain(error, origin));
    return Promise.resolve({ answer, failure, isAbandoned: false });
  }
  upstream.on('error', (error) => {
    // After the answer has begun, its end determines the result.
    if (answer === null && failure === null && !response.destroyed) giveUp(explain(error, origin));
  });
  upstream.once('close', () => {
    if (answer === null && failure === null && !response.destroyed) giveUp(`${origin.origin} gave no answer`);
  });
  upstream.on('response', (incoming) => {
    const status = incoming.statusCode ?? 502;
    incoming.on('error', () => undefined);
    response.sendDate = false;
    try {
      response.writeHead(status, incoming.statusMessage ?? '', forwardedHeaders(incoming.rawHeaders));
    } catch {
      // Node reads status lines that it does not write.
      giveUp(`${origin.origin} gave an answer that is not valid HTTP`);
      upstream.destroy();
      return;
    }
    answer = { status, rawHeaders: incoming.rawHeaders };
    // At once, and in the encoding of headers: flushHeaders would write them in UTF-8.
    response.write('', 'latin1');
    incoming.on('data', passage.onResponseBytes);
    incoming.on('close', () => {
      if (!incoming.complete) giveUp(`${origin.origin} ended its answer too early`);
    });
    incoming.pipe(response);
  });
  request.on('data', passage.onRequestBytes);
  request.on('error', () => undefined);
  request.pipe(upstream);
  response.on('error', () => undefined);

  return new Promise((resolve) => {
    response.once('close', () => {
      const isAbandoned = !response.writableFinished && failure === null;
      if (isAbandoned) failure = 'the agent closed the request before the answer was complete';
      upstream.destroy();
      resolve({ answer, failure, isAbandoned });
    });
  });
}
