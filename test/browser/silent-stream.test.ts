import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { openEventStream } from '../../renderer/data/event-stream.ts';

/** Much longer than a busy machine takes to connect again. */
const silenceMs = 900;

/** Answers each connection with the next step, and later ones with the last. */
async function serve(...steps: ((response: ServerResponse) => void)[]) {
  const places: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    places.push(request.headers['last-event-id']?.toString());
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    (steps[places.length - 1] ?? steps.at(-1))?.(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, places };
}

function open(url: string) {
  const log: string[] = [];
  const close = openEventStream(
    {
      url,
      events: ['message'],
      onEvent: ({ data }) => log.push(data),
      onState: (state) => log.push(state),
    },
    () => ({}),
    undefined,
    silenceMs,
  );
  onTestFinished(close);
  return log;
}

it('begins again after the last frame when nothing arrives anymore, although the connection stays open', async () => {
  const { url, places } = await serve(
    (response) => response.write('retry: 1\n\nid: a\ndata: one\n\n'),
    (response) => response.write('id: b\ndata: two\n\n'),
  );
  const log = open(url);
  await expect.poll(() => log.slice(0, 5)).toEqual(['connecting', 'open', 'one', 'lost', 'open']);
  await expect.poll(() => log).toContain('two');
  expect(places.slice(0, 2)).toEqual([undefined, 'a']);
});

it('keeps a connection on which only heartbeats arrive', async () => {
  let beats = 0;
  const { url } = await serve((response) => {
    const beat = setInterval(() => {
      beats += 1;
      response.write(':\n\n');
    }, silenceMs / 9);
    response.on('close', () => clearInterval(beat));
  });
  const log = open(url);
  await expect.poll(() => beats).toBeGreaterThan(20);
  expect(log).toEqual(['connecting', 'open']);
});
