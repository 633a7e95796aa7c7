import { afterEach, beforeEach, expect, it } from 'vitest';
import type { HeldList } from '#protocol/held.ts';
import type { History, PushResult } from '#protocol/message.ts';
import { prepareServedBroker, type ServedBroker } from '../../../test/crash/served-broker.ts';

let broker: ServedBroker;
beforeEach(async () => {
  broker = await prepareServedBroker(['ada', 'ben', 'cy']);
});
afterEach(() => broker.remove());

async function request<Reply>(by: string, method: string, path: string, body?: unknown): Promise<Reply> {
  const reply = await fetch(broker.url + path, {
    method,
    headers: {
      authorization: `Bearer ${broker.token(by)}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${await reply.text()}`);
  return (await reply.json()) as Reply;
}

/** Runs posts and releases until the broker is gone. Returns the bodies whose post was acknowledged. */
async function work(round: number, onRelease: () => void): Promise<string[]> {
  const acknowledged: string[] = [];
  try {
    for (const [by, host] of [
      ['ben', 'mill'],
      ['cy', 'barn'],
    ] as const)
      await request(by, 'POST', '/runs', { runId: crypto.randomUUID(), host, agent: 'sh', takeOver: true });
    await request('ada', 'PATCH', '/team', { maxAgentHops: 1 });
    const cause = (await request<PushResult>('ben', 'POST', '/push', { to: 'cy', body: 'cause', causes: [] }))
      .message.id;
    for (let count = 0; count < 12; count++) {
      const body = `${round}.${count}`;
      const { held } = await request<PushResult>('cy', 'POST', '/push', { to: 'ben', body, causes: [cause] });
      if (held === undefined) throw new Error('the post was not held');
      acknowledged.push(body);
    }
    for (const { id } of (await request<HeldList>('ada', 'GET', '/held')).held) {
      onRelease();
      await request('ada', 'POST', `/held/${id}/release`);
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  return acknowledged;
}

it('is either held or delivered after kill -9 at any moment, never neither and never both', async () => {
  const acknowledged: string[] = [];
  for (let round = 0; round < 2; round++) {
    await broker.start();
    let left = 3 + round * 5;
    let killed = Promise.resolve();
    acknowledged.push(
      ...(await work(round, () => {
        left -= 1;
        if (left === 0) killed = broker.kill();
      })),
    );
    await killed;
  }
  await broker.start();
  const { held } = await request<HeldList>('ada', 'GET', '/held');
  const { messages } = await request<History>('ben', 'GET', '/history?with=cy&limit=500');
  const delivered = messages.filter(({ from }) => from === 'cy').map(({ body }) => body);
  const found = [...held.map(({ excerpt }) => excerpt), ...delivered];
  expect(found.toSorted()).toEqual(acknowledged.toSorted());
  expect(delivered.length).toBeGreaterThan(0);
  expect(held.length).toBeGreaterThan(0);
});
