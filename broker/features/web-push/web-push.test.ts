import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { mintVapidKeys } from '../../security/vapid.ts';
import { changeStore, storeRows } from '../../testing/store-rows.ts';
import { startTestBroker, type TestBroker, type TestBrokerOptions } from '../../testing/test-broker.ts';
import { type PushReceiver, type ReceivedPush, startPushReceiver } from './testing/push-receiver.ts';

const vapid = mintVapidKeys();
const webPush = { vapidPublicKey: vapid.publicKey, vapidPrivateKey: vapid.privateKey };
const config = { webPush, outbound: { allowHosts: ['127.0.0.1'] } };
let team: TestBroker;
let receiver: PushReceiver;
beforeAll(async () => {
  receiver = await startPushReceiver();
  const others = Object.fromEntries(['dan', 'eli', 'fay', 'gus'].map((name) => [name, []]));
  team = await startTestBroker({ onDisk: true, members: { ada: ['admin'], ben: [], ...others }, config });
});
afterAll(async () => {
  await team.stop();
  await receiver.close();
});

/** Starts a broker and a push service for this test alone, which the functions below use until the test ends. */
async function startOwn(options: TestBrokerOptions = { onDisk: true, config }): Promise<void> {
  const shared = { team, receiver };
  const own = { receiver: await startPushReceiver(), team: await startTestBroker(options) };
  ({ team, receiver } = own);
  onTestFinished(async () => {
    ({ team, receiver } = shared);
    await own.team.stop();
    await own.receiver.close();
  });
}

const subscribe = (name: string, body = receiver.subscription()) =>
  team.as(name).call('subscribePush', { body });
const send = (from: string, body: Record<string, unknown> & { body: string }) =>
  team.as(from).call('push', { body });
/** Waits until the broker knows that the push service took a message, which arrives there earlier. */
const untilTaken = (name: string) =>
  expect
    .poll(async () => (await team.as(name).call('pushSubscriptions', {})).subscriptions)
    .toMatchObject([{ lastSuccessAt: expect.any(Number) }]);
const pushesTo = (path: string) => receiver.received.filter((push) => push.path === path);
const bodyOf = ({ text }: ReceivedPush) => JSON.parse(text).body;
const texts = () => receiver.received.map(bodyOf);

describe('GET /push/vapid-public-key', () => {
  it('returns the key for subscribing to anybody', async () => {
    const reply = await team.fetch(null, '/push/vapid-public-key');
    expect(await reply.json()).toEqual({ publicKey: vapid.publicKey });
  });

  it('is 404 without a webPush block, and if the private key can no longer be decrypted', async () => {
    await startOwn();
    await writeFile(`${team.configPath}.kek`, `${Buffer.alloc(32, 7).toString('base64')}\n`);
    await team.restart();
    expect((await team.fetch(null, '/push/vapid-public-key')).status).toBe(404);
    await startOwn({});
    expect((await team.fetch(null, '/push/vapid-public-key')).status).toBe(404);
  });
});

describe('POST /push/subscriptions', () => {
  it('answers 201 { id, endpoint, createdAt }', async () => {
    const body = receiver.subscription();
    const reply = await team.fetch('ben', '/push/subscriptions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(reply.status).toBe(201);
    expect(await reply.json()).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      endpoint: body.endpoint,
      createdAt: expect.any(Number),
    });
  });

  it('accepts at most 20 per member: 409 above that, and again after one is removed', async () => {
    const first = await subscribe('dan');
    for (let i = 1; i < 20; i++) await subscribe('dan');
    await expect(subscribe('dan')).rejects.toMatchObject({ status: 409 });
    await subscribe('ben');
    await team.as('dan').call('unsubscribePush', { params: { id: first.id } });
    await subscribe('dan');
  });

  it('moves the same endpoint with the same keys to the caller; with other keys, it is 409', async () => {
    const browser = receiver.subscription('/shared');
    const { id } = await subscribe('eli', browser);
    expect((await subscribe('eli', browser)).id).toBe(id);
    expect((await subscribe('fay', browser)).id).toBe(id);
    await send('ada', { to: 'eli', body: 'for eli' });
    await send('ada', { to: 'fay', body: 'for fay' });
    await expect.poll(() => pushesTo('/shared')).toHaveLength(1);
    expect(pushesTo('/shared').map(bodyOf)).toEqual(['for fay']);
    await expect(team.as('eli').call('unsubscribePush', { params: { id } })).rejects.toMatchObject({
      status: 404,
    });
    await expect(subscribe('ada', receiver.subscription('/shared'))).rejects.toMatchObject({
      status: 409,
    });
  });

  it.each([
    'http://push.example/x',
    'https://10.0.0.1/x',
    'https://127.0.0.2/x',
    'https://169.254.1.1/x',
    'https://[fe80::1]/x',
    'https://[::1]/x',
    'https://localhost/x',
    'https://me:pw@push.example/x',
  ])('refuses %s with 400', async (endpoint) => {
    await expect(subscribe('ben', { ...receiver.subscription(), endpoint })).rejects.toMatchObject({
      status: 400,
    });
  });

  it('refuses a key that is not a point on the curve with 400', async () => {
    const body = receiver.subscription();
    body.keys.p256dh = Buffer.concat([Buffer.of(4), Buffer.alloc(64, 1)]).toString('base64url');
    await expect(subscribe('ben', body)).rejects.toMatchObject({ status: 400 });
  });
});

describe('DELETE /push/subscriptions/:id', () => {
  it('answers 204 once; another member’s id and an unknown one are 404', async () => {
    const { id } = await subscribe('ben');
    const remove = (name: string, one: string) =>
      team.fetch(name, `/push/subscriptions/${one}`, { method: 'DELETE' });
    expect((await remove('ada', id)).status).toBe(404);
    expect((await remove('ben', 'x')).status).toBe(404);
    expect((await remove('ben', id)).status).toBe(204);
    expect((await remove('ben', id)).status).toBe(404);
  });
});

describe('a push message', () => {
  it('is encrypted for the browser and signed by the broker (RFC 8291, RFC 8292)', async () => {
    await subscribe('gus', receiver.subscription('/gus'));
    const { message } = await send('ada', { to: 'gus', title: 'Hi', body: 'can you look?' });
    await expect.poll(() => pushesTo('/gus')).toHaveLength(1);
    const [push] = pushesTo('/gus');
    expect(JSON.parse(push!.text)).toEqual({
      title: 'ada: Hi',
      body: 'can you look?',
      thread: 'dm:ada',
      url: `/app/conversations/dm%3Aada?message=${message.id}`,
      id: message.id,
    });
    expect(push?.vapidKey).toBe(vapid.publicKey);
    expect(push?.vapid.aud).toBe(receiver.origin);
    expect(push!.vapid.exp * 1000).toBeGreaterThan(Date.now());
    expect(push!.vapid.exp * 1000).toBeLessThan(Date.now() + 86_400_000);
    expect(push?.headers).toMatchObject({ 'content-encoding': 'aes128gcm', ttl: '86400' });
    expect(push?.bodyBytes).toBeLessThan(4096);
  });

  it('goes to a direct message’s recipient, to mentioned members, and at warning to all except the sender; nothing else is sent', async () => {
    await startOwn();
    for (const name of ['ada', 'ben', 'cy']) await subscribe(name, receiver.subscription(`/${name}`));
    await send('ada', { body: 'nothing to see' });
    await send('ada', { body: 'hey @cy' });
    await send('ada', { body: 'fire', level: 'warning' });
    await send('ben', { to: 'ada', body: 'psst' });
    await receiver.until(4);
    // Pushes are ordered per browser, so the last one shows that nothing else came before it.
    for (const name of ['ada', 'ben', 'cy'])
      await send(name === 'ada' ? 'ben' : 'ada', { to: name, body: 'last' });
    await receiver.until(7);
    const of = (name: string) => pushesTo(`/${name}`).map(bodyOf);
    expect(of('ada')).toEqual(['psst', 'last']);
    expect(of('ben')).toEqual(['fire', 'last']);
    expect(of('cy')).toEqual(['hey @cy', 'fire', 'last']);
  });

  it('survives a restart of the broker', async () => {
    await startOwn();
    await subscribe('ben');
    await team.restart();
    await send('ada', { to: 'ben', body: 'again' });
    await receiver.until(1);
    expect(texts()).toEqual(['again']);
  });

  it('deletes the subscription after 404 and 410', async () => {
    await startOwn();
    for (const status of [404, 410]) {
      const { id } = await subscribe('ben');
      receiver.answers.push({ status });
      await send('ada', { to: 'ben', body: 'one' });
      // Asking the broker would remove it.
      const stored = () => storeRows(join(team.folder, 'main.db'), 'SELECT id FROM push_subscription');
      await expect.poll(stored).toEqual([]);
      expect((await team.fetch('ben', `/push/subscriptions/${id}`, { method: 'DELETE' })).status).toBe(404);
    }
    await team.restart();
    await subscribe('cy');
    await send('ada', { body: 'all', level: 'critical' });
    await receiver.until(3);
    expect(receiver.received).toHaveLength(3);
  });

  it.each([401, 403])(
    'deletes a subscription whose first push is %d, and not a later one',
    async (status) => {
      await startOwn();
      const rows = () => storeRows(join(team.folder, 'main.db'), 'SELECT member FROM push_subscription');
      await subscribe('cy', receiver.subscription('/cy'));
      await send('ada', { to: 'cy', body: 'taken' });
      await untilTaken('cy');
      await subscribe('ben', receiver.subscription('/ben'));
      receiver.answers.push({ status });
      await send('ada', { to: 'ben', body: 'refused' });
      await expect.poll(rows).toEqual([{ member: 'cy' }]);
      expect(team.logged()).toContain('refuses the VAPID key');
      receiver.answers.push({ status });
      await send('ada', { to: 'cy', body: 'refused' });
      await expect.poll(team.logged).toContain(`the push service answered ${status}`);
      expect(rows()).toEqual([{ member: 'cy' }]);
    },
  );

  it('is retried after Retry-After at 429, and what follows waits behind it in order', async () => {
    await startOwn();
    await subscribe('ben');
    receiver.answers.push({ status: 429, headers: { 'retry-after': '2' } }, { status: 503 });
    await send('ada', { to: 'ben', body: 'first' });
    await receiver.until(1);
    await send('ada', { to: 'ben', body: 'second' });
    await receiver.until(4);
    expect(texts()).toEqual(['first', 'first', 'first', 'second']);
    expect(receiver.received[1]!.at - receiver.received[0]!.at).toBeGreaterThan(1900);
    expect(receiver.received[2]!.at - receiver.received[1]!.at).toBeGreaterThan(1900);
  });

  it('never delays replies or streams, however slow the push service is; few are sent at once', async () => {
    await startOwn();
    let release = () => {};
    receiver.hold = new Promise((resolve) => {
      release = resolve;
    });
    for (let i = 0; i < 12; i++) await subscribe(i < 9 ? 'ben' : 'cy');
    const stream = await team.stream('ben');
    await Promise.all(Array.from({ length: 30 }, (_, i) => send('ada', { to: 'ben', body: `n${i}` })));
    await stream.until(() => stream.messages().length === 30);
    await receiver.until(2);
    expect(receiver.atOnce()).toBe(2);
    // A member whose push service is slow does not delay another one.
    await send('ada', { to: 'cy', body: 'elsewhere' });
    await receiver.until(4);
    expect(receiver.atOnce()).toBe(4);
    release();
    await receiver.until(9 * 30 + 3);
    expect(receiver.atOnce()).toBe(4);
  });

  it('is dropped if it does not fit into the bounded queue, and the broker continues', async () => {
    await startOwn();
    let release = () => {};
    receiver.hold = new Promise((resolve) => {
      release = resolve;
    });
    await subscribe('ben');
    // All at once, because the broker waits for the push service ten seconds at most.
    const sent = await Promise.all(
      Array.from({ length: 80 }, (_, i) => send('ada', { to: 'ben', body: `n${i}` })),
    );
    const inOrder = sent.map(({ message }) => message).sort((a, b) => (a.id < b.id ? -1 : 1));
    expect(team.logged()).toContain('too many wait');
    // Failing endpoints must not fill the log.
    expect(team.logged().split('a push message was dropped').length - 1).toBeLessThanOrEqual(10);
    expect(team.logged()).not.toContain('/push/');
    release();
    await receiver.until(50);
    expect(texts()).toEqual(inOrder.slice(0, 50).map(({ body }) => body));
  });

  it('is not sent for a removed member', async () => {
    await startOwn();
    await subscribe('ben', receiver.subscription('/ben'));
    await subscribe('cy', receiver.subscription('/cy'));
    await team.as('ada').call('deleteMember', { params: { name: 'ben' } });
    await send('ada', { body: 'all', level: 'error' });
    await receiver.until(1);
    expect(receiver.received.map(({ path }) => path)).toEqual(['/cy']);
  });

  it('is not sent to an address that has become private: the guard also applies at sending', async () => {
    await startOwn();
    await subscribe('ben');
    await team.broker.close();
    const config = JSON.parse(await readFile(team.configPath, 'utf8'));
    delete config.outbound;
    await writeFile(team.configPath, JSON.stringify(config));
    await team.restart();
    await send('ada', { to: 'ben', body: 'x' });
    await expect.poll(team.logged).toContain('its address is not a public one');
    expect(receiver.received).toEqual([]);
  });
});

describe('a new VAPID key', () => {
  const rows = () =>
    storeRows<{ member: string; key: string | null }>(
      join(team.folder, 'main.db'),
      'SELECT member, vapid_key AS key FROM push_subscription ORDER BY member',
    );
  async function changeKey(): Promise<string> {
    const { publicKey, privateKey } = mintVapidKeys();
    const config = JSON.parse(await readFile(team.configPath, 'utf8'));
    config.webPush = { vapidPublicKey: publicKey, vapidPrivateKey: privateKey };
    await writeFile(team.configPath, JSON.stringify(config));
    return publicKey;
  }

  it('ends the subscriptions of the earlier one at the next start, also those that never got a message', async () => {
    await startOwn();
    for (const name of ['ben', 'cy']) await subscribe(name);
    await send('ada', { to: 'ben', body: 'taken' });
    await receiver.until(1);
    await team.broker.close();
    const key = await changeKey();
    await team.restart();
    expect((await team.as('ben').call('pushSubscriptions', {})).subscriptions).toEqual([]);
    await expect.poll(rows).toEqual([]);
    expect(team.logged()).toMatch(/"subscriptions":2,"members":2.*earlier VAPID key/);
    await subscribe('ben');
    await team.restart();
    expect(rows()).toEqual([{ member: 'ben', key }]);
  });

  it('leaves subscriptions of an unknown key until a push is refused; a delivery makes their key known', async () => {
    await startOwn();
    for (const name of ['ben', 'cy']) await subscribe(name);
    await send('ada', { to: 'ben', body: 'taken' });
    await receiver.until(1);
    await team.broker.close();
    changeStore(join(team.folder, 'main.db'), 'UPDATE push_subscription SET vapid_key = NULL');
    const key = await changeKey();
    await team.restart();
    receiver.answers.push({ status: 403 });
    await send('ada', { to: 'ben', body: 'refused' });
    await expect.poll(rows).toEqual([{ member: 'cy', key: null }]);
    await send('ada', { to: 'cy', body: 'taken' });
    await untilTaken('cy');
    await team.restart();
    expect(rows()).toEqual([{ member: 'cy', key }]);
  });
});

it('tells the scraper how attempts ended', async () => {
  const token = 'm'.repeat(32);
  await startOwn({ onDisk: true, config, env: { SVC_METRICS_TOKEN: token } });
  await subscribe('ben');
  receiver.answers.push({ status: 201 }, { status: 400 }, { status: 410 });
  for (let sent = 1; sent <= 3; sent++) {
    await send('ada', { to: 'ben', body: `${sent}` });
    await receiver.until(sent);
  }
  const results = async () => {
    const reply = await fetch(`${team.url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    return [...(await reply.text()).matchAll(/^muster_push_results_total\{result="(\w+)"\} (\d+)$/gm)].map(
      ([, result, count]) => [result, Number(count)],
    );
  };
  await expect.poll(results).toEqual([
    ['delivered', 1],
    ['gone', 1],
    ['retry', 0],
    ['dropped', 1],
  ]);
});
