/** The end of a listener whose clients keep their connections (specification/api.md#connections). */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { limits } from '#protocol/limits.ts';
import { testGuard } from '../testing/test-guard.ts';
import { type Listener, listenHttp } from './listeners.ts';

const keepAliveMs = 600_000;
const guard = testGuard({ idleMs: keepAliveMs });
const request = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';

let listener: Listener;
let responses: ServerResponse[];
let client: Socket;
let text: string;

const has = (part: string) => expect.poll(() => text).toContain(part);
const asked = (count: number) => expect.poll(() => responses.length).toBe(count);

beforeEach(async () => {
  responses = [];
  text = '';
  listener = await listenHttp((_request, response) => responses.push(response), {
    host: '127.0.0.1',
    port: 0,
    insecureHttp: false,
    guard,
    times: { ...limits.connections, keepAliveMs },
  });
  client = connect(Number(new URL(listener.url).port), '127.0.0.1');
  client.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  client.write(request);
  await asked(1);
});
afterEach(() => {
  client.destroy();
  guard.stop();
});

it('ends a connection that became idle when its last answer was sent', { timeout: 20_000 }, async () => {
  const closed = listener.close();
  responses[0]?.end('first');
  await has('first');
  await closed;
});

it('says in each later answer that the connection ends', { timeout: 20_000 }, async () => {
  client.write(request);
  const closed = listener.close();
  responses[0]?.end('first');
  await asked(2);
  responses[1]?.end('second');
  await once(client, 'close');
  expect(text.match(/^connection: .*$/gim)).toEqual(['Connection: keep-alive', 'Connection: close']);
  expect(text).toContain('second');
  await closed;
});
