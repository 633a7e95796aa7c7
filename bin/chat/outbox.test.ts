import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpClient } from '#client/http-client.ts';
import { createClient } from '#protocol/client.ts';
import { createOutbox } from './outbox.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

const accept: Answer = (_, response, body) => {
  const message = { id: `id of ${JSON.parse(body).body}` };
  response.end(JSON.stringify({ delivery: { live: 0, targets: 1 }, message }));
};
const cut: Answer = (request) => request.socket.destroy();
const refuse =
  (status: number, error: string): Answer =>
  (_, response) => {
    response.writeHead(status).end(JSON.stringify({ error, message: `because ${error}` }));
  };

/** A broker that answers one request after another as told, and accepts what follows. */
async function scripted(...answers: Answer[]) {
  const seen: { key: string | undefined; body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const answer = answers[seen.length] ?? accept;
    seen.push({ key: request.headers['idempotency-key']?.toString(), body: JSON.parse(body).body });
    answer(request, response, body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = new AbortController();
  cleanups.push(() => {
    stop.abort();
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  const port = address !== null && typeof address !== 'string' ? address.port : 0;
  const http = createHttpClient({ url: `http://127.0.0.1:${port}`, token: 'svc_x', signal: stop.signal });
  const log: string[] = [];
  const outbox = createOutbox({
    client: createClient(http.send),
    signal: stop.signal,
    onAcknowledged: ({ id }) => log.push(id),
    onRefused: (body, error) => log.push(`refused ${body}: ${error instanceof Error ? error.message : ''}`),
    onDelay: () => log.push('delayed'),
  });
  return { outbox, seen, log, stop };
}

describe('a typed line', () => {
  it('is sent in order, one at a time, each with a key of its own', async () => {
    const { outbox, seen, log } = await scripted();
    for (const body of ['a', 'b', 'c']) outbox.add({ body });
    await outbox.drainTo(0);
    expect(log).toEqual(['id of a', 'id of b', 'id of c']);
    expect(new Set(seen.map(({ key }) => key)).size).toBe(3);
  });

  it('is sent again with the same key if no answer came, before anything after it', async () => {
    const { outbox, seen, log } = await scripted(cut, refuse(503, 'unavailable'));
    outbox.add({ body: 'a' });
    outbox.add({ body: 'b' });
    await outbox.drainTo(0);
    expect(seen.map(({ body }) => body)).toEqual(['a', 'a', 'a', 'b']);
    expect(new Set(seen.slice(0, 3).map(({ key }) => key)).size).toBe(1);
    expect(log).toEqual(['delayed', 'id of a', 'id of b']);
  });

  it('that the broker refuses is reported, and the next one is sent', async () => {
    const { outbox, log } = await scripted(refuse(404, 'not_found'));
    outbox.add({ body: 'a' });
    outbox.add({ body: 'b' });
    await outbox.drainTo(0);
    expect(log).toEqual(['refused a: because not_found', 'id of b']);
  });

  it('is still known when sending stops, so that the person can be told', async () => {
    const { outbox, stop, log } = await scripted(() => stop.abort());
    outbox.add({ body: 'a' });
    outbox.add({ body: 'b' });
    await outbox.drainTo(0);
    expect(outbox.waiting).toEqual(['a', 'b']);
    expect(log).toEqual([]);
  });

  it('does not wait for its delay when the connection is back', async () => {
    // Waiting for the delays of so many failures would take longer than a test may.
    const failures = Array.from({ length: 25 }, () => refuse(500, 'internal'));
    const { outbox, log, seen } = await scripted(...failures);
    outbox.add({ body: 'a' });
    const nudging = setInterval(() => outbox.nudge(), 5);
    cleanups.push(() => clearInterval(nudging));
    await outbox.drainTo(0);
    expect(log).toEqual(['delayed', 'id of a']);
    expect(seen).toHaveLength(failures.length + 1);
  });
});
