/**
 * The runner's activity at a real broker: what is reported arrives, across outages and restarts of either
 * side.
 */

import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHttpClient } from '#client/http-client.ts';
import type { ActivityEvent } from '#protocol/activity.ts';
import type { Send } from '#protocol/client.ts';
import { startTestBroker, type TestBroker } from '../../broker/testing/test-broker.ts';
import { startActivityUploads } from '../../runner/activity/activity-uploads.ts';
import { openSpool, spoolFolder } from '../../runner/activity/spool.ts';
import { exchangeNamed, nameOf } from '../../runner/activity/testing/events.ts';
import { startModelGateway } from '../../runner/gateway/model-gateway.ts';

const pauseMs = { first: 20, max: 100 };
/** Prevents an endless wait. An upload that is abandoned too early would arrive twice. */
const patienceMs = 100_000;
const named = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${prefix}-${n}`);

async function brokerAndFolder() {
  const broker = await startTestBroker({ onDisk: true });
  onTestFinished(() => broker.stop());
  const runsDir = await mkdtemp(join(tmpdir(), 'runs-'));
  onTestFinished(() => rm(runsDir, { recursive: true, force: true }));
  return { broker, runsDir };
}

async function reportTo(broker: TestBroker, runsDir: string, more: { send?: Send; token?: string } = {}) {
  const logged: string[] = [];
  const client = createHttpClient({
    url: broker.url,
    token: more.token ?? broker.token('ben'),
    timeoutMs: patienceMs,
  });
  const report = await startActivityUploads({
    folder: runsDir,
    url: broker.url,
    member: 'ben',
    send: more.send ?? client.send,
    log: (event, data) => logged.push(JSON.stringify({ event, ...data })),
    pauseMs,
  });
  return { report, logged, send: client.send };
}

/** The names of what the broker has, oldest first. */
async function arrived(broker: TestBroker): Promise<string[]> {
  const { activity } = await broker
    .as('ada')
    .call('activityRange', { params: { name: 'ben' }, query: { limit: '1000' } });
  return activity.map(({ event }) => nameOf(event)).reverse();
}

const untilArrived = (broker: TestBroker, names: string[]): Promise<void> =>
  expect.poll(() => arrived(broker)).toEqual(names);

const waitingFiles = (broker: TestBroker, runsDir: string) =>
  readdir(spoolFolder(runsDir, broker.url, 'ben'));

describe('the upload of activity', () => {
  it('sends every event once, in order, in batches of at most 500, and leaves nothing on disk', async () => {
    const { broker, runsDir } = await brokerAndFolder();
    const sizes: number[] = [];
    const client = createHttpClient({ url: broker.url, token: broker.token('ben') });
    const send: Send = (request) => {
      sizes.push((JSON.parse(String(request.body)) as { events: unknown[] }).events.length);
      return client.send(request);
    };
    const { report } = await reportTo(broker, runsDir, { send });
    for (const name of named('e', 700)) report.add(exchangeNamed(name));
    expect(await report.close(patienceMs)).toBeNull();
    expect(await arrived(broker)).toEqual(named('e', 700));
    expect(sizes).toEqual([500, 200]);
    expect(await waitingFiles(broker, runsDir)).toEqual([]);
  });

  it('survives an outage of the broker, and a restart of the runner in the middle of it', async () => {
    const { broker, runsDir } = await brokerAndFolder();
    const first = await reportTo(broker, runsDir);
    first.report.add(exchangeNamed('before'));
    await untilArrived(broker, ['before']);
    await broker.broker.close();
    for (const name of named('outage', 5)) first.report.add(exchangeNamed(name));
    await expect.poll(() => first.logged.join()).toContain('activity waits for the broker');
    expect(await first.report.close(300)).toBe(
      '5 activity events were kept for the next run, because the broker did not accept them in time',
    );
    expect(first.report.waiting).toBe(5);
    const { report } = await reportTo(broker, runsDir);
    onTestFinished(() => void report.close(0));
    report.add(exchangeNamed('after'));
    await broker.restart();
    await untilArrived(broker, ['before', ...named('outage', 5), 'after']);
    expect(report.dropped).toBe(0);
  });

  it('drops only the events that the broker refuses, and counts them', async () => {
    const { broker, runsDir } = await brokerAndFolder();
    const { report, logged } = await reportTo(broker, runsDir);
    const names = named('e', 40);
    for (const [index, name] of names.entries()) {
      const event = exchangeNamed(name);
      if (index === 7 || index === 31) event.ts = -1;
      report.add(event);
    }
    expect(await report.close(patienceMs)).toBe(
      '2 activity events were lost: 2 because the broker refused them',
    );
    expect(await arrived(broker)).toEqual(names.filter((name) => name !== 'e-7' && name !== 'e-31'));
    expect(report.dropped).toBe(2);
    expect(logged.filter((line) => line.includes('activity event refused'))).toHaveLength(2);
  });

  it('keeps everything while its token is not accepted', async () => {
    const { broker, runsDir } = await brokerAndFolder();
    const { report, logged } = await reportTo(broker, runsDir, { token: `svc_${'x'.repeat(43)}` });
    for (const name of named('e', 3)) report.add(exchangeNamed(name));
    expect(await report.close(500)).toMatch(/^3 activity events were kept for the next run/);
    expect(report.dropped).toBe(0);
    expect(logged.join()).not.toContain('svc_x');
    const again = await reportTo(broker, runsDir);
    expect(await again.report.close(patienceMs)).toBeNull();
    expect(await arrived(broker)).toEqual(named('e', 3));
  });

  it('keeps events while a server that is not a broker answers 200 to everything', async () => {
    const { broker, runsDir } = await brokerAndFolder();
    const { send } = createHttpClient({ url: broker.url, token: broker.token('ben') });
    let isPortal = true;
    let answers = 0;
    const { report, logged } = await reportTo(broker, runsDir, {
      async send(request) {
        if (!isPortal) return send(request);
        answers += 1;
        return { status: 200, headers: new Headers(), text: async () => '<html>log in</html>' };
      },
    });
    report.add(exchangeNamed('kept'));
    await expect.poll(() => answers).toBeGreaterThan(1);
    expect(report.waiting).toBe(1);
    expect(logged.join()).toContain('is not a broker');
    isPortal = false;
    await untilArrived(broker, ['kept']);
    await report.close(1000);
  });

  it('keeps events while the broker supports another version of the protocol', async () => {
    const { broker, runsDir } = await brokerAndFolder();
    const { send } = createHttpClient({ url: broker.url, token: broker.token('ben') });
    let version = '2';
    let answers = 0;
    const { report } = await reportTo(broker, runsDir, {
      async send(request) {
        answers += 1;
        return send({ ...request, headers: { ...request.headers, 'x-svc-protocol': version } });
      },
    });
    report.add(exchangeNamed('kept'));
    await expect.poll(() => answers).toBeGreaterThan(1);
    expect(report.waiting).toBe(1);
    expect(report.dropped).toBe(0);
    version = '1';
    await untilArrived(broker, ['kept']);
  });

  it('keeps batches below the body limit, and shortens an event that is too large on its own', async () => {
    const { broker, runsDir } = await brokerAndFolder();
    const { report } = await reportTo(broker, runsDir);
    const MiB = 1024 * 1024;
    for (const name of named('large', 5)) report.add(exchangeNamed(name, 'x'.repeat(3 * MiB)));
    report.add(exchangeNamed('huge', 'é'.repeat(20 * MiB)));
    expect(await report.close(patienceMs)).toBeNull();
    expect(await arrived(broker)).toEqual([...named('large', 5), 'huge']);
    expect(report.dropped).toBe(0);
  });

  it('shrinks batches and events if something in between accepts less than the broker', async () => {
    const { broker, runsDir } = await brokerAndFolder();
    const between = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', async () => {
        const body = Buffer.concat(chunks);
        if (body.length > 100_000)
          return void response.writeHead(413, { 'content-type': 'text/html' }).end('<h1>');
        const reply = await broker.fetch('ben', request.url ?? '', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
        });
        response.writeHead(reply.status, { 'content-type': 'application/json' }).end(await reply.text());
        return undefined;
      });
    });
    between.listen(0, '127.0.0.1');
    await expect.poll(() => between.address()).not.toBeNull();
    onTestFinished(() => void between.close());
    onTestFinished(() => between.closeAllConnections());
    const { send } = createHttpClient({
      url: `http://127.0.0.1:${(between.address() as AddressInfo).port}`,
      token: null,
    });
    const { report } = await reportTo(broker, runsDir, { send });
    for (const name of named('e', 30)) report.add(exchangeNamed(name, 'x'.repeat(20_000)));
    report.add(exchangeNamed('wide', 'x'.repeat(500_000)));
    expect(await report.close(patienceMs)).toBeNull();
    expect(await arrived(broker)).toEqual([...named('e', 30), 'wide']);
    expect(report.dropped).toBe(0);
  });

  it('repeats at most one batch when the process ends before the mark is written', async () => {
    const { broker, runsDir } = await brokerAndFolder();
    const { send } = await reportTo(broker, runsDir);
    const folder = spoolFolder(runsDir, broker.url, 'ben');
    const spool = await openSpool({ folder, onDropped: () => undefined });
    for (const name of named('e', 3)) spool.append(exchangeNamed(name));
    const batch = await spool.next({ events: 2, bytes: 1e6 });
    const path = '/members/ben/activity';
    const body = `{"events":[${batch?.lines.join(',')}]}`;
    await send({ method: 'POST', url: path, headers: { 'content-type': 'application/json' }, body });
    spool.close();
    const { report } = await reportTo(broker, runsDir);
    expect(await report.close(patienceMs)).toBeNull();
    expect(await arrived(broker)).toEqual(['e-0', 'e-1', 'e-0', 'e-1', 'e-2']);
  });

  it('shows an exchange of the agent with its model in the member’s activity', async () => {
    const { broker, runsDir } = await brokerAndFolder();
    const { report } = await reportTo(broker, runsDir);
    const model = createServer((request, response) => {
      request.resume().on('end', () => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(
          '{"type":"message","model":"m","role":"assistant","content":[{"type":"text","text":"hi"}]}',
        );
      });
    });
    model.listen(0, '127.0.0.1');
    await expect.poll(() => model.address()).not.toBeNull();
    onTestFinished(() => void model.close());
    onTestFinished(() => model.closeAllConnections());
    const gateway = await startModelGateway({
      upstream: { url: `http://127.0.0.1:${(model.address() as AddressInfo).port}`, api: 'anthropic' },
      onExchange: report.add,
      onOpaque: report.add,
      onFlight: () => undefined,
      now: Date.now,
      log: () => undefined,
    });
    const secret = `sk-ant-${'k1'.repeat(20)}`;
    await fetch(`${gateway.url}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': secret },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: `use ${secret}` }] }),
    });
    await fetch(`${gateway.url}/v1/models`);
    await gateway.close();
    expect(await report.close(patienceMs)).toBeNull();
    const { activity } = await broker.as('ada').call('activityRange', { params: { name: 'ben' }, query: {} });
    const kinds = activity.map(({ event }: { event: ActivityEvent }) => event.kind);
    expect(kinds.sort()).toEqual(['llm_exchange', 'opaque_http']);
    expect(JSON.stringify(activity)).not.toContain(secret);
    expect(JSON.stringify(activity)).toContain('use [masked]');
  });
});
