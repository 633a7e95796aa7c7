import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startPlatform } from '../features/platform-connect/testing/platform.ts';
import { type PushReceiver, startPushReceiver } from '../features/web-push/testing/push-receiver.ts';
import type { Clock } from '../runtime/clock.ts';
import { mintVapidKeys } from '../security/vapid.ts';
import { changeStore } from '../testing/store-rows.ts';
import { bindAuthenticator, codeAt, cookieOf, logInWith, postJson } from '../testing/test-authenticator.ts';
import { startTestBroker, type TestBroker } from '../testing/test-broker.ts';
import { type ReceivedSpan, startTraceReceiver, type TraceReceiver } from './testing/trace-receiver.ts';

interface TracedOptions {
  clock?: Clock;
  env?: Record<string, string>;
  config?: Record<string, unknown>;
  members?: Record<string, readonly string[]>;
}

async function traced({ env = {}, ...options }: TracedOptions = {}) {
  const receiver = await startTraceReceiver();
  onTestFinished(() => receiver.close());
  const team = await startTestBroker({
    onDisk: true,
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_BSP_SCHEDULE_DELAY: '10',
      // Long enough for any machine, in tests that are not about time.
      OTEL_EXPORTER_OTLP_TIMEOUT: '100000',
      ...env,
    },
    ...options,
  });
  onTestFinished(async () => {
    await team.stop();
    expect(receiver.faults).toEqual([]);
  });
  return { receiver, team };
}

/** The spans that match, once there are any. */
async function arrived({ spans }: TraceReceiver, isMeant: (span: ReceivedSpan) => boolean) {
  await expect.poll(() => spans.filter(isMeant)).not.toEqual([]);
  return spans.filter(isMeant);
}
const ofServer = (name: string) => (span: ReceivedSpan) => span.kind === 'server' && span.name === name;

const linesOf = (team: TestBroker): Record<string, unknown>[] =>
  team
    .logged()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('a traced request', () => {
  it.each(['http/protobuf', 'http/json'])(
    'is a server span with its store calls inside, over %s',
    async (protocol) => {
      const { receiver, team } = await traced({ env: { OTEL_EXPORTER_OTLP_PROTOCOL: protocol } });
      await team.as('ben').call('push', { body: { body: 'x' } });
      const [span] = await arrived(receiver, ofServer('POST /push'));
      expect(span).toMatchObject({ parentSpanId: null, isError: false, links: [] });
      expect(span!.facts).toEqual({
        'http.request.method': 'POST',
        'http.route': '/push',
        'http.response.status_code': 200,
        'url.scheme': 'http',
        'server.port': Number(new URL(team.url).port),
        'muster.operation': 'push',
        'muster.body_ms': expect.any(Number),
        'muster.turn_ms': expect.any(Number),
        'muster.checks_ms': expect.any(Number),
      });
      expect(span!.resource).toMatchObject({ 'service.name': 'muster', 'telemetry.sdk.language': 'nodejs' });
      expect(receiver.requests[0]!.headers['content-type']).toBe(
        protocol === 'http/json' ? 'application/json' : 'application/x-protobuf',
      );
      const children = await arrived(receiver, ({ parentSpanId }) => parentSpanId === span!.spanId);
      for (const child of children) {
        expect(child.traceId).toBe(span!.traceId);
        expect(child.startedAt >= span!.startedAt && child.endedAt <= span!.endedAt, child.name).toBe(true);
      }
      const [accept] = children.filter(({ name }) => name === 'acceptMessage main');
      expect(accept).toMatchObject({
        kind: 'internal',
        facts: {
          'db.system.name': 'sqlite',
          'db.namespace': 'main',
          'db.operation.name': 'acceptMessage',
          'muster.queue_ms': expect.any(Number),
          'muster.statements_ms': expect.any(Number),
          'muster.commit_ms': expect.any(Number),
        },
      });
    },
  );

  it('that is refused says why, and is not an error of the broker', async () => {
    const { receiver, team } = await traced();
    await team.fetch(null, '/briefing');
    await team.fetch('ben', '/diagnostics');
    await team.fetch(null, '/no/such/path');
    const [stranger] = await arrived(receiver, ofServer('GET /briefing'));
    const [member] = await arrived(receiver, ofServer('GET /diagnostics'));
    const [unknown] = await arrived(receiver, ofServer('GET'));
    const shown = ({ facts, isError }: ReceivedSpan) => [
      facts['http.response.status_code'],
      facts['muster.operation'],
      facts['muster.refusal'],
      isError,
    ];
    expect([stranger!, member!, unknown!].map(shown)).toEqual([
      [401, 'briefing', 'unauthenticated', false],
      [403, 'diagnostics', 'missing_right', false],
      [404, undefined, 'unknown_path', false],
    ]);
    expect(unknown!.facts).not.toHaveProperty('http.route');
  });

  it('with an answer of 5xx is an error', async () => {
    const { receiver, team } = await traced({
      config: {
        jwt: {
          issuer: 'https://p.example',
          audience: `team:${randomUUID()}`,
          jwksUrl: 'https://127.0.0.1:1/keys',
        },
      },
    });
    const token = `${Buffer.from('{"alg":"ES256"}').toString('base64url')}.e30.AAAA`;
    const reply = await fetch(`${team.url}/briefing`, { headers: { authorization: `Bearer ${token}` } });
    expect(reply.status).toBe(503);
    const [span] = await arrived(receiver, ofServer('GET /briefing'));
    expect(span).toMatchObject({ isError: true, facts: { 'error.type': '503' } });
    const [asked] = await arrived(receiver, ({ name }) => name === 'GET platform_keys');
    expect(asked).toMatchObject({ kind: 'client', isError: true, facts: { 'error.type': 'refused' } });
  });

  it('whose store fails says where, and so does the log', async () => {
    const { receiver, team } = await traced();
    expect((await team.fetch('ben', '/history')).status).toBe(200);
    changeStore(join(team.folder, 'main.db'), 'DROP TABLE message');
    expect((await team.fetch('ben', '/history')).status).toBeGreaterThanOrEqual(500);
    const [span] = await arrived(receiver, (one) => ofServer('GET /history')(one) && one.isError);
    const children = receiver.spans.filter(({ parentSpanId }) => parentSpanId === span!.spanId);
    expect(children.map(({ isError }) => isError)).toEqual([true]);
    const ids = { trace_id: span!.traceId, span_id: span!.spanId };
    const [failed] = linesOf(team).filter(({ level }) => level === 50);
    expect(failed).toMatchObject({ unit: children[0]!.facts['db.operation.name'], ...ids });
  });

  it('without a socket, as from the desktop app, has no port', async () => {
    const { receiver, team } = await traced();
    const { statusCode } = await team.broker.inject({ url: '/healthz', headers: { host: 'localhost' } });
    expect(statusCode).toBe(200);
    const [span] = await arrived(receiver, ofServer('GET /healthz'));
    expect(span!.facts).toMatchObject({ 'http.response.status_code': 200 });
    expect(span!.facts).not.toHaveProperty('server.port');
    expect(span!.facts).not.toHaveProperty('muster.aborted');
  });

  it('whose client hangs up before the end is aborted, and is not an error', async () => {
    // More than the sockets between them hold.
    const bytes = new Uint8Array(50_000_000);
    const config = { files: { root: 'files', maxFileSize: bytes.length } };
    const { receiver, team } = await traced({ config });
    const written = await team.fetch('ada', '/fs/write?path=/ada/large.bin', { method: 'POST', body: bytes });
    expect(written.status).toBe(200);
    const gone = new AbortController();
    const reply = await team.fetch('ada', '/fs/read/ada/large.bin', { signal: gone.signal });
    expect(reply.status).toBe(200);
    gone.abort();
    const [span] = await arrived(receiver, (one) => one.facts['muster.aborted'] === true);
    expect(span).toMatchObject({ kind: 'server', isError: false });
  });

  it('that opens a stream ends when the stream has opened', async () => {
    const { receiver, team } = await traced();
    await team.stream('ben');
    const [span] = await arrived(receiver, ofServer('GET /subscribe'));
    expect(span!.facts).toMatchObject({ 'muster.stream': true, 'http.response.status_code': 200 });
    // Later events on the stream belong to no trace of the request.
    await team.as('ada').call('push', { body: { body: 'x' } });
    await arrived(receiver, ofServer('POST /push'));
    const inside = receiver.spans.filter(({ traceId }) => traceId === span!.traceId);
    expect(inside.every(({ endedAt }) => endedAt <= span!.endedAt)).toBe(true);
    expect((await team.openStreams()).messages).toBe(1);
  });

  it('has a link to the trace that its member names, and not its parent or its sampling', async () => {
    const { receiver, team } = await traced();
    const [traceId, spanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
    const traceparent = `00-${traceId}-${spanId}-01`;
    await team.fetch('ben', '/briefing', { headers: { traceparent, tracestate: 'ben=secret' } });
    await team.fetch('ben', '/roster', { headers: { traceparent: `00-${'0'.repeat(32)}-${spanId}-01` } });
    await team.fetch(null, '/history', { headers: { traceparent } });
    const [member] = await arrived(receiver, ofServer('GET /briefing'));
    const [invalid] = await arrived(receiver, ofServer('GET /roster'));
    const [stranger] = await arrived(receiver, ofServer('GET /history'));
    expect(member).toMatchObject({ parentSpanId: null, links: [{ traceId, spanId }] });
    expect(member!.traceId).not.toBe(traceId);
    expect([invalid!.links, stranger!.links]).toEqual([[], []]);
  });
});

describe('a request of the broker to another service', () => {
  const vapid = mintVapidKeys();
  const config = {
    webPush: { vapidPublicKey: vapid.publicKey, vapidPrivateKey: vapid.privateKey },
    outbound: { allowHosts: ['127.0.0.1'] },
  };

  async function pushReceiver(): Promise<PushReceiver> {
    const browser = await startPushReceiver();
    onTestFinished(() => browser.close());
    return browser;
  }

  it('is a trace of its own for a push message, and passes on nothing of it', async () => {
    const browser = await pushReceiver();
    const { receiver, team } = await traced({ config });
    await team.as('ben').call('subscribePush', { body: browser.subscription('/secret-endpoint') });
    await team.as('ada').call('push', { body: { body: 'x', level: 'error' } });
    const [span] = await arrived(receiver, ({ name }) => name === 'POST web_push');
    expect(span).toMatchObject({ kind: 'client', parentSpanId: null, isError: false });
    expect(span!.facts).toEqual({
      'http.request.method': 'POST',
      'http.response.status_code': 201,
      'muster.purpose': 'web_push',
    });
    expect(Object.keys(browser.received[0]!.headers)).not.toContain('traceparent');
  });

  it('is an error if the other service refuses', async () => {
    const browser = await pushReceiver();
    browser.answers.push({ status: 410 });
    const { receiver, team } = await traced({ config });
    await team.as('ben').call('subscribePush', { body: browser.subscription() });
    await team.as('ada').call('push', { body: { body: 'x', level: 'error' } });
    const [span] = await arrived(receiver, ({ name }) => name === 'POST web_push');
    expect(span).toMatchObject({ isError: true, facts: { 'error.type': '410' } });
  });

  it('covers the keys of a platform', async () => {
    const platform = await startPlatform();
    onTestFinished(() => platform.close());
    await platform.addKey('k', 'ES256');
    const { issuer, audience, jwksUrl } = platform;
    const { receiver, team } = await traced({ config: { ...config, jwt: { issuer, audience, jwksUrl } } });
    const authorization = `Bearer ${await platform.sign('k')}`;
    expect((await fetch(`${team.url}/session`, { headers: { authorization } })).status).toBe(200);
    const [span] = await arrived(receiver, ({ name }) => name === 'GET platform_keys');
    expect(span).toMatchObject({
      kind: 'client',
      parentSpanId: null,
      facts: { 'http.response.status_code': 200 },
    });
  });
});

describe('what connects a platform', () => {
  it('is inside the span of its request', async () => {
    const platform = await startPlatform();
    onTestFinished(() => platform.close());
    const pairingCode = 'pairing-code-of-128-bits';
    platform.codes.add(pairingCode);
    const { receiver, team } = await traced({ config: { outbound: { allowHosts: ['127.0.0.1'] } } });
    const code = codeAt(await bindAuthenticator(team, 'ada'), Date.now());
    const cookie = cookieOf(await logInWith(team, code, 'ada'));
    const bound = await postJson(
      team,
      '/platform-connect/bind',
      { pairingCode, platformUrl: platform.url },
      { cookie },
    );
    expect(bound.status).toBe(200);
    const [span] = await arrived(receiver, ofServer('POST /platform-connect/bind'));
    const [asked] = await arrived(receiver, ({ name }) => name === 'GET platform_connect');
    expect(asked).toMatchObject({ kind: 'client', parentSpanId: span!.spanId, traceId: span!.traceId });
    const exported = Buffer.concat(receiver.requests.map(({ body }) => body)).toString('latin1');
    expect(exported).not.toContain(pairingCode);
    expect(exported).not.toContain(code);
  });
});

describe('what is exported', () => {
  it('contains no name, text, token, path, or query', async () => {
    const { receiver, team } = await traced({
      env: { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' },
      members: { benedikta: ['admin'], adalberta: ['admin'] },
    });
    const as = team.as('benedikta');
    await as.call('push', { body: { to: 'adalberta', body: 'the-text-of-a-message' } });
    await as.call('createChannel', { body: { slug: 'secret-channel' } });
    await as.call('channel', { params: { slug: 'secret-channel' } });
    await team.fetch('benedikta', '/search?q=searched-words');
    await team.fetch('benedikta', '/members/unknown-member');
    await team.fetch('benedikta', '/a-path-of-its-own?and=query-of-its-own', { method: 'POST' });
    await fetch(`${team.url}/briefing`, {
      headers: {
        authorization: 'Bearer svc_guessed',
        'user-agent': 'agent-of-its-own',
        cookie: 'a=cookie-of-its-own',
      },
    });
    await team.stream('benedikta');
    await arrived(receiver, ofServer('GET /subscribe'));
    const exported = Buffer.concat(receiver.requests.map(({ body }) => body)).toString('latin1');
    expect(exported).toContain('muster.operation');
    for (const secret of [
      ...['benedikta', 'adalberta', 'the-text', 'secret-channel', 'searched-words', 'unknown-member'],
      ...['of-its-own', 'svc_', '127.0.0.1', 'localhost', team.folder],
    ])
      expect(exported).not.toContain(secret);
  });

  it('is nothing for a trace that is not sampled', async () => {
    const { receiver, team } = await traced({ env: { OTEL_TRACES_SAMPLER: 'always_off' } });
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    await team.fetch('ben', '/briefing', { headers: { traceparent } });
    await team.restart();
    expect(receiver.requests).toEqual([]);
  });
});

describe('a line of the log', () => {
  it('names the span of its request', async () => {
    const { receiver, team } = await traced({ config: { listen: { maxStreamsPerMember: 1 } } });
    await team.stream('ben');
    expect((await team.fetch('ben', '/subscribe?name=ben')).status).toBe(429);
    const [span] = await arrived(
      receiver,
      (one) => ofServer('GET /subscribe')(one) && one.facts['muster.refusal'] === 'too_many_streams',
    );
    expect(linesOf(team).find(({ limit }) => limit === 'streams')).toMatchObject({
      trace_id: span!.traceId,
      span_id: span!.spanId,
    });
  });
});

describe('a collector', () => {
  it.each([500, 503, 'never'] as const)(
    'that answers %s costs one warning and no request',
    async (answer) => {
      const { receiver, team } = await traced({
        // All of it happens within the minute of one warning.
        clock: () => Date.UTC(2026, 5, 1),
        env: { OTEL_EXPORTER_OTLP_TIMEOUT: '200' },
      });
      receiver.answer = answer;
      for (const body of ['a', 'b', 'c']) {
        const before = receiver.requests.length;
        await team.as('ben').call('push', { body: { body } });
        await expect.poll(() => receiver.requests.length).toBeGreaterThan(before);
      }
      await expect.poll(team.logged).toContain('traces could not be exported');
      expect((await team.as('ben').call('history', { query: {} })).messages).toHaveLength(3);
      await team.restart();
      const warnings = team
        .logged()
        .split('\n')
        .filter((line) => line.includes('traces could not be exported'));
      expect(warnings.length).toBeLessThanOrEqual(2);
    },
  );

  it('that is dead costs one warning and no request', async () => {
    const { receiver, team } = await traced({ env: { OTEL_EXPORTER_OTLP_TIMEOUT: '200' } });
    await receiver.close();
    await team.as('ben').call('push', { body: { body: 'x' } });
    await expect.poll(team.logged).toContain('traces could not be exported');
    expect(team.logged()).toMatch(/"cause":"ECONNREFUSED"/);
  });
});
