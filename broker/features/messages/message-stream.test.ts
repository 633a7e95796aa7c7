import { get } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';

let team: TestBroker;
beforeEach(async () => {
  team = await startTestBroker({ onDisk: true });
});
afterEach(() => team.stop());

const send = (from: string, body: string, to?: string) =>
  team.as(from).call('push', { body: { body, ...(to && { to }) } });
const isMessage = ({ event }: { event?: string | undefined }) => event === 'message';
const received = (count: number) => (frames: { event?: string | undefined }[]) =>
  frames.filter(isMessage).length >= count;

describe('GET /subscribe', () => {
  it('first sends retry, then ready with a cursor, then message frames of one line with an id', async () => {
    const raw = await new Promise<string>((resolve, reject) => {
      const headers = { authorization: `Bearer ${team.token('ben')}` };
      get(`${team.url}/subscribe?name=ben`, { headers, agent: false }, (response) => {
        expect(response.headers['content-type']).toContain('text/event-stream');
        expect(response.headers['cache-control']).toBe('no-store, no-transform');
        expect(response.headers['x-accel-buffering']).toBe('no');
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
          if (text.includes('event: ready') && !text.includes('event: message'))
            void send('ada', 'line\nbreak', 'ben');
          if (/event: message\n.*\n\n/.test(text)) {
            resolve(text);
            response.destroy();
          }
        });
      }).on('error', reject);
    });
    expect(raw).toMatch(
      /^retry: 2000\n\nevent: ready\ndata: \{"cursor":"[0-9a-z]{8}-0"\}\n\nid: [0-9a-z]{8}-1\nevent: message\ndata: \{.*\}\n\n$/,
    );
  });

  it('carries what is addressed to the caller: direct messages and broadcasts, and the caller’s own from other connections', async () => {
    const stream = await team.stream('ben');
    await send('ada', 'for cy', 'cy');
    await send('ada', 'for ben', 'ben');
    await send('ada', 'for all');
    await send('ben', 'by ben', 'ada');
    await stream.until(received(3));
    expect(stream.messages().map(({ body }) => body)).toEqual(['for ben', 'for all', 'by ben']);
  });

  it('resumes after a cursor with everything addressed to the caller, in order, exactly once, then live', async () => {
    const first = await team.stream('ben');
    await send('ada', 'seen', 'ben');
    await first.until(received(1));
    const cursor = first.cursor();
    first.close();
    await first.ended;
    await send('ada', 'missed direct', 'ben');
    await send('ada', 'not for ben', 'cy');
    await send('cy', 'missed broadcast');
    const resumed = await team.stream('ben', cursor);
    await resumed.until(received(2));
    await send('ada', 'live', 'ben');
    await resumed.until(received(3));
    expect(resumed.messages().map(({ body }) => body)).toEqual(['missed direct', 'missed broadcast', 'live']);
  });

  it('accepts the cursor from the query as well', async () => {
    const cursor = (await team.stream('ben')).cursor();
    await send('ada', 'missed', 'ben');
    const stream = await team.fetch('ben', `/subscribe?name=ben&lastEventId=${cursor}`);
    const reader = stream.body?.getReader();
    let text = '';
    while (!text.includes('missed')) text += new TextDecoder().decode((await reader?.read())?.value);
    await reader?.cancel();
  });

  it.each([
    ['of another store', 'zzzzzzzz-0'],
    ['of the future', 'future'],
    ['that is garbage', '🦊'],
  ])('answers a cursor %s with reset and the present cursor', async (_, given) => {
    await send('ada', 'before', 'ben');
    const present = (await team.stream('ben')).cursor();
    const cursor = given === 'future' ? present.replace(/\d+$/, '999') : given;
    const reply = await team.fetch('ben', `/subscribe?name=ben&lastEventId=${encodeURIComponent(cursor)}`);
    const reader = reply.body?.getReader();
    let text = '';
    while (!text.includes('event: ')) text += new TextDecoder().decode((await reader?.read())?.value);
    expect(text).toContain(`event: reset\ndata: {"cursor":"${present}"}`);
    await reader?.cancel();
  });

  it('answers 400 to a missing name and 403 to another’s name, before the stream opens', async () => {
    expect((await team.fetch('ben', '/subscribe')).status).toBe(400);
    expect((await team.fetch('ben', '/subscribe?name=ada')).status).toBe(403);
    expect((await team.fetch('ada', '/subscribe?name=ben')).status).toBe(403);
    expect((await team.fetch(null, '/subscribe?name=ben')).status).toBe(401);
  });

  it('sends bye and closes at shutdown', async () => {
    const stream = await team.stream('ben');
    await team.broker.close();
    await stream.ended;
    expect(stream.frames.at(-1)?.event).toBe('bye');
  });

  it('resumes across a restart of the broker', async () => {
    const stream = await team.stream('ben');
    await send('ada', 'one', 'ben');
    await stream.until(received(1));
    await team.restart();
    await send('ada', 'two', 'ben');
    const resumed = await team.stream('ben', stream.cursor());
    await resumed.until(received(1));
    expect(resumed.messages().map(({ body }) => body)).toEqual(['two']);
  });

  it('counts toward presence while it is open', async () => {
    const connected = async () =>
      (await team.as('ada').call('roster', {})).connected.find(({ name }) => name === 'ben')?.connected;
    expect(await connected()).toBe(0);
    const streams = [await team.stream('ben'), await team.stream('ben')];
    expect(await connected()).toBe(2);
    for (const stream of streams) stream.close();
    await expect.poll(connected).toBe(0);
  });

  it('is refused on a connection that still owes a response, so that it cannot be written into another one', async () => {
    const port = Number(new URL(team.url).port);
    const head = `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer ${team.token('ben')}\r\n`;
    const body = JSON.stringify({ body: 'pipelined' });
    const answers = await new Promise<string>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(
          `POST /push HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}` +
            `GET /subscribe?name=ben HTTP/1.1\r\n${head}Connection: close\r\n\r\n`,
        );
      });
      let text = '';
      socket.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      socket.on('close', () => resolve(text)).on('error', reject);
    });
    expect(answers).toMatch(/^HTTP\/1.1 200 OK[\s\S]*HTTP\/1.1 400 Bad Request/);
  });
});
