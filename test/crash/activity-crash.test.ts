import { expect } from 'vitest';
import type { ActivityEvent } from '#protocol/activity.ts';
import { it } from '../../bin/testing/home-test.ts';
import { clientOf, writeTeam } from '../../bin/testing/team-file.ts';
import { exchange } from '../../broker/features/activity/testing/activity-team.ts';

const perBatch = 7;
const stores = ['--db', 'main.db', '--activity-db', 'activity.db'];

/** Batch `number` as events whose time is the number. The last one is an exchange of 3 and 2 tokens. */
const batchOf = (number: number): ActivityEvent[] => [
  ...Array.from({ length: perBatch - 1 }, () => ({
    kind: 'objective_open' as const,
    ts: number,
    objectiveId: 'obj_0123456789' as never,
  })),
  exchange(number) as ActivityEvent,
];

it('keeps accepted activity through kill -9, each batch completely or not at all, in the sums as well', async ({
  home,
}) => {
  await writeTeam(home.path('svc.json'));
  const accepted = new Set<number>();
  let next = 0;
  for (const life of [1, 2, 3]) {
    const broker = await home.serve(stores);
    const client = clientOf(broker.url, 'ben');
    const until = accepted.size + 10 + Math.floor(Math.random() * 40);
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        for (;;) {
          const number = ++next;
          const call = { params: { name: 'ben' }, body: { events: batchOf(number) } };
          const reply = await client.call('uploadActivity', call).catch(() => null);
          if (reply === null) return;
          expect(reply.accepted).toBe(perBatch);
          accepted.add(number);
          if (accepted.size >= until) broker.child.kill('SIGKILL');
        }
      }),
    );
    expect((await broker.ended).signal, `life ${life}`).toBe('SIGKILL');
  }
  const broker = await home.serve(stores);
  const rowsByBatch = new Map<number, number>();
  for (let number = 1; number <= next; number++) {
    const query = { from: String(number), to: String(number), limit: '1000' };
    const { activity } = await clientOf(broker.url, 'ben').call('activityRange', {
      params: { name: 'ben' },
      query,
    });
    rowsByBatch.set(number, activity.length);
  }
  for (const number of accepted) expect(rowsByBatch.get(number)).toBe(perBatch);
  for (const [number, rows] of rowsByBatch) expect([0, perBatch], `batch ${number}`).toContain(rows);
  const whole = [...rowsByBatch.values()].filter((rows) => rows === perBatch).length;
  const { usage } = await clientOf(broker.url, 'ben').call('activityUsage', {
    query: { from: '0', to: '0' },
  });
  expect(usage).toMatchObject([{ exchanges: whole, inputTokens: 3 * whole, outputTokens: 2 * whole }]);
});
