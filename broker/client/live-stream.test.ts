import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { BrokerError } from '#protocol/errors.ts';
import { ConnectionError } from './connection-error.ts';
import { createHttpClient } from './http-client.ts';
import { followMessages, type StreamState } from './live-stream.ts';

type Step = (response: ServerResponse, request: IncomingMessage) => void;

const id = (n: number) => `019a1b2c-3d4e-7f00-8a1b-${String(n).padStart(12, '0')}`;
const messageFrame = (n: number) =>
  `event: message\nid: store-${n}\ndata: ${JSON.stringify({ id: id(n), ts: n, from: 'ben', to: 'ada', title: null, body: `m${n}`, level: 'info', data: {}, attachments: [] })}\n\n`;
const ready = (cursor: string) => `retry: 1\n\nevent: ready\ndata: {"cursor":"${cursor}"}\n\n`;

const streaming =
  (text: string, then: 'end' | 'cut' | 'open' = 'open'): Step =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(text, () => {
      if (then === 'end') response.end();
      if (then === 'cut') response.destroy();
    });
  };
const refusing =
  (status: number, error: string, headers = {}): Step =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ error, message: `because ${error}` }));
  };

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

/**
 * A broker that answers its connections one after another with the given steps, and all later ones with the
 * last step.
 */
async function scripted(...steps: Step[]) {
  const cursors: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    cursors.push(request.headers['last-event-id']?.toString());
    (steps[cursors.length - 1] ?? steps.at(-1))?.(response, request);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  const port = address !== null && typeof address !== 'string' ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, cursors };
}

function follow(url: string, options: { cursor?: string; silenceTimeoutMs?: number; until?: string } = {}) {
  const { until, ...rest } = options;
  const stop = new AbortController();
  cleanups.push(() => stop.abort());
  const log: string[] = [];
  const note = (line: string) => {
    log.push(line);
    if (line === until) stop.abort();
  };
  const states: StreamState[] = [];
  const done = followMessages({
    http: createHttpClient({ url, token: 'svc_x', timeoutMs: 100_000 }),
    name: 'ada',
    signal: stop.signal,
    onMessage: async (message) => {
      note(`begin ${message.body}`);
      await new Promise(setImmediate);
      note(`end ${message.body}`);
    },
    onState: (state) => {
      states.push(state);
      note(state.state);
    },
    ...rest,
  });
  return { done, log, states, stop };
}

describe('following the live stream', () => {
  it('passes on messages in order, one at a time', async () => {
    const broker = await scripted(streaming(ready('store-0') + messageFrame(1) + messageFrame(2)));
    const { done, log } = follow(broker.url, { until: 'end m2' });
    await done;
    expect(log).toEqual(['connected', 'begin m1', 'end m1', 'begin m2', 'end m2']);
  });

  it.each(['end', 'cut'] as const)(
    'resumes after the last message when the connection is lost (%s)',
    async (then) => {
      const broker = await scripted(
        streaming(ready('store-0') + messageFrame(1), then),
        streaming(ready('store-9') + messageFrame(2)),
      );
      const { done, log } = follow(broker.url, { until: 'end m2' });
      await done;
      expect(broker.cursors).toEqual([undefined, 'store-1']);
      expect(log.filter((line) => line.startsWith('end'))).toEqual(['end m1', 'end m2']);
    },
  );

  it('resumes after the cursor of ready if no message came', async () => {
    const broker = await scripted(
      streaming(ready('store-7'), 'end'),
      streaming(ready('store-7') + messageFrame(8)),
    );
    await follow(broker.url, { until: 'end m8' }).done;
    expect(broker.cursors).toEqual([undefined, 'store-7']);
  });

  it('does not let the ready of a resumed stream move the cursor past a backlog that has not arrived yet', async () => {
    const broker = await scripted(
      streaming(ready('store-9'), 'cut'),
      streaming(ready('store-9') + messageFrame(4)),
    );
    await follow(broker.url, { cursor: 'store-3', until: 'end m4' }).done;
    expect(broker.cursors).toEqual(['store-3', 'store-3']);
  });

  it('ignores unknown frames and unknown data', async () => {
    const strange = 'event: presence\ndata: {"name":"ben"}\n\n: beat\n\nnonsense\n\n';
    const broker = await scripted(streaming(ready('store-0') + strange + messageFrame(1)));
    await follow(broker.url, { until: 'end m1' }).done;
  });

  it('reports a reset before what follows it, and continues from the new cursor', async () => {
    const reset = 'event: reset\ndata: {"cursor":"other-5"}\n\n';
    const broker = await scripted(
      streaming(ready('other-5') + reset, 'end'),
      streaming(ready('other-5') + messageFrame(6)),
    );
    const { done, log } = follow(broker.url, { cursor: 'store-1', until: 'end m6' });
    await done;
    expect(log.slice(0, 2)).toEqual(['connected', 'reset']);
    expect(broker.cursors).toEqual(['store-1', 'other-5']);
  });

  it('says why it was lost, and reconnects after bye, and after 503 not before Retry-After', async () => {
    const broker = await scripted(
      streaming(`${ready('store-0')}event: bye\ndata: {}\n\n`),
      refusing(503, 'unavailable', { 'retry-after': '1' }),
      streaming(ready('store-0') + messageFrame(1)),
    );
    const { done, states } = follow(broker.url, { until: 'end m1' });
    await done;
    const losses = states.filter((state) => state.state === 'lost');
    expect(losses.map((loss) => loss.reason)).toEqual(['the broker ended the stream', 'because unavailable']);
    expect(losses[1]?.retryInMs).toBeGreaterThanOrEqual(1000);
  });

  it('keeps trying while nothing answers', async () => {
    const broker = await scripted(streaming(''));
    const { stop, done, log } = follow('http://127.0.0.1:1', { until: 'lost' });
    await done;
    expect(stop.signal.aborted).toBe(true);
    expect(log).toEqual(['lost']);
    expect(broker.cursors).toEqual([]);
  });

  it('treats silence as a dead connection', async () => {
    const broker = await scripted(streaming(ready('store-0')), streaming(ready('store-0') + messageFrame(1)));
    const { done, states, log } = follow(broker.url, { silenceTimeoutMs: 80, until: 'end m1' });
    await done;
    // On a busy machine, a connection may be silent before its first word: then it is tried again.
    const reasons = states.flatMap((state) => (state.state === 'lost' ? [state.reason] : []));
    expect(new Set(reasons)).toEqual(new Set(['nothing came from the broker for 0.08 s']));
    expect(log.filter((line) => line.startsWith('end'))).toEqual(['end m1']);
  });

  it.each([
    [400, 'bad_request'],
    [401, 'unauthenticated'],
    [403, 'forbidden'],
  ])('ends with the refusal at %i', async (status, code) => {
    const broker = await scripted(refusing(status, code));
    const refusal = await follow(broker.url).done.catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(BrokerError);
    expect(refusal).toMatchObject({ status, message: `because ${code}` });
    expect(broker.cursors).toHaveLength(1);
  });

  it('ends if a message cannot be read, instead of dropping it', async () => {
    const broker = await scripted(
      streaming(`${ready('store-0')}event: message\nid: store-1\ndata: {"id":1}\n\n`),
    );
    await expect(follow(broker.url).done).rejects.toThrow(
      'sent a "message" event that this program cannot read',
    );
  });

  it("ends with the handler's own error", async () => {
    const broker = await scripted(streaming(ready('store-0') + messageFrame(1)));
    const signal = new AbortController().signal;
    const http = createHttpClient({ url: broker.url, token: null });
    const done = followMessages({
      http,
      name: 'ada',
      signal,
      onMessage: () => {
        throw new RangeError('mine');
      },
    });
    await expect(done).rejects.toThrow(RangeError);
  });

  it.each([
    new ConnectionError('timeout', 'it was late'),
    new BrokerError('unavailable', 'it was busy'),
    new BrokerError('rate_limited', 'it was much', { retryAfter: 0 }),
  ])('reconnects when the handler could not reach the broker for now (%s)', async (failure) => {
    const broker = await scripted(streaming(ready('store-0') + messageFrame(1)));
    const stop = new AbortController();
    const log: string[] = [];
    let failures = 0;
    await followMessages({
      http: createHttpClient({ url: broker.url, token: null }),
      name: 'ada',
      signal: stop.signal,
      onState: (state) => {
        log.push(state.state === 'lost' ? `lost: ${state.reason}` : state.state);
        if (state.state === 'connected' && failures++ === 0) throw failure;
      },
      onMessage: (message) => {
        log.push(message.body);
        stop.abort();
      },
    });
    expect(log).toEqual(['connected', `lost: ${failure.message}`, 'connected', 'm1']);
  });

  it("ends with the broker's refusal of the handler's request", async () => {
    const broker = await scripted(streaming(ready('store-0')));
    const done = followMessages({
      http: createHttpClient({ url: broker.url, token: null }),
      name: 'ada',
      signal: new AbortController().signal,
      onState: () => {
        throw new BrokerError('unauthenticated', 'not you');
      },
      onMessage: () => undefined,
    });
    await expect(done).rejects.toThrow('not you');
  });

  it.each(['Wed, 21 Oct 2099 07:28:00 GMT', '99999999999'])(
    'is not rushed by a Retry-After of %s',
    async (header) => {
      const broker = await scripted(refusing(503, 'unavailable', { 'retry-after': header }));
      const { done, states } = follow(broker.url, { until: 'lost' });
      await done;
      const [state] = states;
      const retryInMs = state?.state === 'lost' ? state.retryInMs : 0;
      expect(retryInMs).toBeGreaterThanOrEqual(2000);
      // The most that a timer can count.
      expect(retryInMs).toBeLessThan(2 ** 31);
    },
  );

  it('ends quietly when it is told to', async () => {
    const broker = await scripted(streaming(ready('store-0')));
    const { done, log } = follow(broker.url, { until: 'connected' });
    await expect(done).resolves.toBeUndefined();
    expect(log).toEqual(['connected']);
  });
});
