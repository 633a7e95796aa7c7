import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { prepareServedBroker, type ServedBroker } from '../../../test/crash/served-broker.ts';
import { storeRows } from '../../testing/store-rows.ts';

let broker: ServedBroker;
beforeEach(async () => {
  broker = await prepareServedBroker(['ada', 'ben']);
});
afterEach(() => broker.remove());

const send = async (by: string, method: string, path: string, body: unknown) => {
  const reply = await fetch(broker.url + path, {
    method,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${broker.token(by)}` },
    body: JSON.stringify(body),
  });
  if (!reply.ok) throw new Error(`${path} answered ${reply.status}`);
  return (await reply.json()) as { id: string };
};

/** Runs until the broker is gone, and reports each acknowledged step. */
async function work(acknowledge: (step: { id: string; kind: string }) => void): Promise<void> {
  for (let n = 0; ; n++) {
    const { id } = await send('ada', 'POST', '/objectives', { title: `${n}`, outcome: 'x', assignee: 'ben' });
    acknowledge({ id, kind: 'assigned' });
    await send('ben', 'PATCH', `/objectives/${id}`, { status: 'blocked', blockReason: 'x' });
    acknowledge({ id, kind: 'blocked' });
    await send('ben', 'POST', `/objectives/${id}/complete`, { result: 'x' });
    acknowledge({ id, kind: 'completed' });
  }
}

interface EventRow {
  id: string;
  kind: string;
  seq: number;
  status: string;
}

it('keeps what was acknowledged through kill -9; objective, audit event, notice, and activity marker exist together, once', async () => {
  const acknowledged: { id: string; kind: string }[] = [];
  for (let round = 0; round < 3; round++) {
    await broker.start();
    let left = 25 + round * 17;
    const killed = Promise.withResolvers<void>();
    const worker = () =>
      work((step) => {
        acknowledged.push(step);
        left -= 1;
        if (left === 0) broker.kill().then(killed.resolve, killed.reject);
      }).catch(() => undefined);
    await Promise.all([worker(), worker(), worker(), killed.promise]);
  }
  await broker.start();
  await broker.kill();
  const events = storeRows<EventRow>(
    broker.mainDbPath,
    'SELECT id, kind, seq, status FROM objective_event JOIN objective USING (num) ORDER BY num, seq',
  );
  const named = (kind: string, id: string) => `${id} ${kind}`;
  expect(events.map(({ id, kind }) => named(kind, id))).toEqual(
    expect.arrayContaining(acknowledged.map(({ id, kind }) => named(kind, id))),
  );
  const lastByObjective = new Map(events.map((event) => [event.id, event]));
  const statusAfter: Record<string, string> = { assigned: 'active', blocked: 'blocked', completed: 'done' };
  for (const { kind, status } of lastByObjective.values()) expect(status).toBe(statusAfter[kind]);
  const notices = storeRows<{ data: string; addressed: number }>(
    broker.mainDbPath,
    'SELECT data, (SELECT count(*) FROM addressed WHERE addressed.seq = message.seq) AS addressed FROM message',
  );
  const noticed = notices.map(({ data }) => {
    const { event } = JSON.parse(data);
    return `${event.objectiveId} ${event.type} ${event.seq}`;
  });
  expect(noticed.sort()).toEqual(events.map(({ id, kind, seq }) => `${id} objective.${kind} ${seq}`).sort());
  for (const { addressed } of notices) expect(addressed).toBe(2);
  const markers = storeRows<{ event: string }>(
    join(broker.mainDbPath, '..', 'activity.db'),
    'SELECT event FROM activity',
  ).map(({ event }) => {
    const { kind, objectiveId } = JSON.parse(event);
    return `${objectiveId} ${kind}`;
  });
  const markerOf: Record<string, string> = { assigned: 'objective_open', completed: 'objective_close' };
  const expected = events
    .filter(({ kind }) => kind in markerOf)
    .map(({ id, kind }) => `${id} ${markerOf[kind]}`);
  expect(markers.sort()).toEqual(expected.sort());
});
