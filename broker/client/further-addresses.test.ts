/** Several addresses of one broker over real TLS (docs/decisions/0071-several-addresses-of-a-team.md). */
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createClient, requestOf } from '#protocol/client.ts';
import { freePort } from '../testing/free-port.ts';
import { makeTeamKeys, type TeamKeys } from '../testing/team-keys.ts';
import { createHttpClient } from './http-client.ts';
import { followMessages } from './live-stream.ts';
import { createPinnedAgent } from './pinned-agent.ts';

const token = 'svc_secret';
let team: TeamKeys;
let foreign: TeamKeys;
let fingerprint: string;
beforeAll(async () => {
  [team, foreign] = [await makeTeamKeys(), await makeTeamKeys()];
  fingerprint = team.fingerprint;
});

/** Answers with the path, the token, and the body of a request; a live stream gets one message and stays open. */
async function serve(keys: TeamKeys, port = 0) {
  const received: string[] = [];
  const server: Server = createServer(keys, async (request, response) => {
    const { url, headers } = request;
    received.push(`${url} ${headers.authorization} ${headers['last-event-id'] ?? ''}`);
    if (url?.startsWith('/subscribe')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('retry: 1\n\nevent: ready\ndata: {"cursor":"store-7"}\n\n');
      return;
    }
    response.end(JSON.stringify({ status: 'ok', version: String((await text(request)).length) }));
  });
  server.on('secureConnection', (socket) => socket.once('data', () => received.push('bytes')));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const stop = () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  onTestFinished(async () => void (await stop()));
  return { url: `https://127.0.0.1:${(server.address() as { port: number }).port}`, received, stop };
}

function clientOf(url: string, ...further: string[]) {
  const agents = [url, ...further].map((one) => createPinnedAgent(one, fingerprint));
  onTestFinished(() => {
    for (const agent of agents) agent.destroy();
  });
  const [agent, ...others] = agents;
  return createHttpClient({
    url,
    token,
    agent,
    further: further.map((one, n) => ({ url: one, agent: others[n]! })),
  });
}
const versionAt = async (http: ReturnType<typeof clientOf>) =>
  (await createClient(http.send).call('health', {})).version;

describe('a client with several addresses', () => {
  it('goes on to the next one, and sends no byte to one that shows another key', async () => {
    const hostile = await serve(foreign);
    const second = await serve(team);
    const http = clientOf(`https://127.0.0.1:${await freePort()}`, hostile.url, second.url);
    expect(await versionAt(http)).toBe('0');
    expect(second.received).toContain(`/healthz Bearer ${token} `);
    expect(hostile.received).toEqual([]);
  });

  it('goes on when nothing answers to its connection', async () => {
    const silent = createTcpServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    onTestFinished(() => void silent.close());
    const second = await serve(team);
    const http = clientOf(`https://127.0.0.1:${(silent.address() as { port: number }).port}`, second.url);
    // Less than the handshake of a single address may take.
    const soon = http.endingWith(AbortSignal.timeout(9000));
    expect(await versionAt(soon)).toBe('0');
  });

  it('does not repeat a request whose connection broke', async () => {
    const breaking = createServer(team, (request) => request.socket.destroy()).listen(0, '127.0.0.1');
    await once(breaking, 'listening');
    onTestFinished(() => void breaking.close());
    const second = await serve(team);
    const http = clientOf(`https://127.0.0.1:${(breaking.address() as { port: number }).port}`, second.url);
    await expect(versionAt(http)).rejects.toMatchObject({ reason: 'broken', mayHaveArrived: true });
    expect(second.received).toEqual([]);
  });

  it('sends an upload from its beginning, and reads nothing of it before there is a connection', async () => {
    const second = await serve(team);
    const http = clientOf(`https://127.0.0.1:${await freePort()}`, second.url);
    async function* pieces() {
      yield Buffer.from('hello, ');
      yield Buffer.from('world');
    }
    const request = requestOf('writeFile', { query: { path: '/ada/a' }, headers: { 'content-type': 'x/y' } });
    const reply = await http.open(request, AbortSignal.timeout(60_000), pieces());
    expect(JSON.parse(await reply.text()).version).toBe('12');
  });

  it('waits until one of them opens a connection', async () => {
    const [first, second] = [await freePort(), await freePort()];
    const http = clientOf(`https://127.0.0.1:${first}`, `https://127.0.0.1:${second}`);
    const asking = versionAt(http);
    const { received } = await serve(team, second);
    expect(await asking).toBe('0');
    expect(received).toContain(`/healthz Bearer ${token} `);
  });

  it('names the address that the person gave when none answers', async () => {
    const [first, second] = [await freePort(), await freePort()];
    const http = clientOf(`https://127.0.0.1:${first}`, `https://127.0.0.1:${second}`);
    await expect(versionAt(http)).rejects.toThrow(
      `nothing answers at https://127.0.0.1:${first} (ECONNREFUSED), and no other address of the team can be reached;`,
    );
  });

  it('resumes its live stream at another address, after what it had', async () => {
    const first = await serve(team);
    const second = await serve(team);
    const http = clientOf(first.url, second.url);
    const stop = new AbortController();
    const states: string[] = [];
    const following = followMessages({
      http,
      name: 'ada',
      cursor: 'store-5',
      signal: stop.signal,
      onMessage: () => undefined,
      onState: ({ state }) => void states.push(state),
    });
    await expect.poll(() => states).toEqual(['connected']);
    await first.stop();
    await expect.poll(() => states).toEqual(['connected', 'lost', 'connected']);
    expect(second.received).toContain(`/subscribe?name=ada Bearer ${token} store-5`);
    stop.abort();
    await following;
  });

  it('uses new addresses also through copies of itself', async () => {
    const second = await serve(team);
    const http = clientOf(`https://127.0.0.1:${await freePort()}`);
    const copy = http.withToken('svc_other');
    http.replaceFurther([{ url: second.url, agent: createPinnedAgent(second.url, fingerprint) }]);
    expect(await versionAt(copy)).toBe('0');
    expect(second.received).toContain('/healthz Bearer svc_other ');
  });
});
