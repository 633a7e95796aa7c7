import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changeStore } from '../../testing/store-rows.ts';
import { rows, rowsOf } from './testing/activity-streams.ts';
import { type ActivityTeam, http, opened, startActivityTeam } from './testing/activity-team.ts';

let team: ActivityTeam;
beforeEach(async () => {
  team = await startActivityTeam({ onDisk: true });
});
afterEach(() => team.stop());

const firstFrame = ({ frames }: { frames: { event?: string | undefined; data: string }[] }) => [
  frames[0]?.event,
  JSON.parse(frames[0]?.data ?? '{}').cursor,
];
const streamPath = '/members/ben/activity/stream';

async function textUntil(path: string, headers: Record<string, string>, mark: string): Promise<string> {
  const reply = await team.broker.fetch('ben', path, { headers });
  const reader = reply.body?.getReader();
  let text = '';
  while (!text.includes(mark)) text += new TextDecoder().decode((await reader?.read())?.value);
  await reader?.cancel();
  return text;
}

describe('GET /members/:name/activity/stream', () => {
  it('frames like /subscribe: retry, ready with a cursor, then activity frames whose id is the row id', async () => {
    await team.upload('ben', [opened(1)]);
    const reading = textUntil(streamPath, {}, 'event: activity');
    const stream = await team.watch('ben', 'ben');
    await team.upload('ben', [http(2, 'line\nbreak')]);
    await rows(stream, 1);
    await team.upload('ben', [http(3)]);
    expect(await reading).toMatch(
      /^retry: 2000\n\nevent: ready\ndata: \{"cursor":"[12]"\}\n\nid: [23]\nevent: activity\ndata: \{"id":[23],"memberName":"ben","createdAt":\d+,"event":\{.*\}\}\n\n/,
    );
    const reply = await team.broker.fetch('ben', streamPath);
    expect(reply.headers.get('content-type')).toContain('text/event-stream');
    expect(reply.headers.get('cache-control')).toBe('no-store, no-transform');
    expect(reply.headers.get('x-accel-buffering')).toBe('no');
    await reply.body?.cancel();
  });

  it('carries each uploaded row, as the range query returns it, to every watcher, and no other member’s', async () => {
    const watchers = await Promise.all([
      team.watch('ben', 'ben'),
      team.watch('cy', 'ben'),
      team.watch('cy', 'ben'),
      team.watch('cy', 'dan'),
    ]);
    await team.upload('dan', [opened(9)]);
    await team.upload('ben', [opened(1), http(2), http(0)]);
    await team.upload('dan', [opened(10)]);
    const stored = (await team.range('ben', 'ben')).toSorted((a, b) => a.id - b.id);
    for (const stream of watchers.slice(0, 3)) {
      await rows(stream, 3);
      expect(rowsOf(stream)).toEqual(stored);
    }
    await rows(watchers[3]!, 2);
    expect(rowsOf(watchers[3]!).map(({ memberName }) => memberName)).toEqual(['dan', 'dan']);
  });

  it('carries nothing of a refused batch', async () => {
    const stream = await team.watch('ben', 'ben');
    const refused = await team.post('ben', JSON.stringify({ events: [opened(1), { kind: 'no' }] }));
    expect(refused.status).toBe(400);
    await team.upload('ben', [opened(2)]);
    await rows(stream, 1);
    expect(rowsOf(stream).map(({ event }) => event.ts)).toEqual([2]);
  });

  it('resumes without a gap or a repeat during uploads', async () => {
    const uploads = ['ben', 'dan', 'ben', 'ben'].map(async (name) => {
      for (let batch = 0; batch < 15; batch++) {
        await team.upload(
          name,
          Array.from({ length: 20 }, (_, n) => http(n, 'x'.repeat(n * 500))),
        );
      }
    });
    const streams = [];
    for (let n = 0; n < 10; n++) {
      const first = await team.watch('cy', 'ben', '0');
      await rows(first, n * 3);
      const seen = rowsOf(first);
      first.close();
      await first.ended;
      streams.push({ seen, resumed: await team.watch('cy', 'ben', String(seen.at(-1)?.id ?? 0)) });
    }
    await Promise.all(uploads);
    const stored = (await team.range('cy', 'ben', '?limit=1000')).map(({ id }) => id).sort((a, b) => a - b);
    expect(stored).toHaveLength(3 * 15 * 20);
    for (const { seen, resumed } of streams) {
      await rows(resumed, stored.length - seen.length);
      expect([...seen, ...rowsOf(resumed)].map(({ id }) => id)).toEqual(stored);
    }
  });

  it('accepts the cursor from the query as well', async () => {
    await team.upload('ben', [opened(1), opened(2)]);
    const text = await textUntil(`${streamPath}?lastEventId=1`, {}, 'event: activity');
    expect(text).toContain('id: 2\n');
    expect(text).not.toContain('id: 1\n');
  });

  it.each(['3', '99', '-1', '01', '🦊', '1e0', '999999999999999999999'])(
    'answers the cursor %s, which this store never assigned, with reset and the present one',
    async (cursor) => {
      await team.upload('ben', [opened(1), opened(2)]);
      const text = await textUntil(`${streamPath}?lastEventId=${encodeURIComponent(cursor)}`, {}, 'event: ');
      expect(text).toContain('event: reset\ndata: {"cursor":"2"}');
    },
  );

  it('answers a cursor whose next rows are pruned with reset, and one that lost nothing with ready', async () => {
    await team.upload(
      'ben',
      [1, 2, 3, 4, 5].map((ts) => opened(ts)),
    );
    changeStore(join(team.broker.folder, 'activity.db'), 'DELETE FROM activity WHERE id <= 3');
    expect(firstFrame(await team.watch('ben', 'ben', '2'))).toEqual(['reset', '5']);
    const kept = await team.watch('ben', 'ben', '3');
    expect(firstFrame(kept)).toEqual(['ready', '3']);
    await rows(kept, 2);
    changeStore(join(team.broker.folder, 'activity.db'), 'DELETE FROM activity');
    expect(firstFrame(await team.watch('ben', 'ben', '4'))).toEqual(['reset', '5']);
    const latest = await team.watch('ben', 'ben', '5');
    expect(firstFrame(latest)).toEqual(['ready', '5']);
    await team.upload('ben', [opened(6)]);
    await rows(latest, 1);
    expect(rowsOf(latest).map(({ id }) => id)).toEqual([6]);
  });

  it('continues after a restart of the broker', async () => {
    await team.upload('ben', [opened(1)]);
    await team.broker.restart();
    await team.upload('ben', [opened(2)]);
    const stream = await team.watch('ben', 'ben', '1');
    await rows(stream, 1);
    expect(rowsOf(stream).map(({ id }) => id)).toEqual([2]);
  });

  it('carries rows of many megabytes to a reader that pauses, and slows nobody down', async () => {
    const slow = await team.watch('cy', 'ben');
    slow.pause();
    const quick = await team.watch('ben', 'ben');
    const text = 'x'.repeat(6 * 1024 * 1024);
    for (let n = 1; n <= 4; n++) {
      await team.upload('ben', [http(n, text), opened(n)]);
      await rows(quick, 2 * n);
    }
    slow.resume();
    await rows(slow, 8);
    expect(rowsOf(slow).map(({ id }) => id)).toEqual(rowsOf(quick).map(({ id }) => id));
  });

  it('carries what the broker writes itself: the markers of objectives', async () => {
    const [ben, dan] = [await team.watch('ben', 'ben'), await team.watch('cy', 'dan')];
    const ada = team.broker.as('ada');
    const body = { title: 'T', outcome: 'O', assignee: 'ben' };
    const { id } = await ada.call('createObjective', { body });
    await ada.call('reassignObjective', { params: { id }, body: { to: 'dan' } });
    await Promise.all([rows(ben, 2), rows(dan, 1)]);
    expect(rowsOf(ben).map(({ event }) => event)).toMatchObject([
      { kind: 'objective_open', objectiveId: id },
      { kind: 'objective_close', objectiveId: id, result: 'reassigned' },
    ]);
    expect(rowsOf(dan).map(({ event }) => event)).toMatchObject([
      { kind: 'objective_open', objectiveId: id },
    ]);
    expect(await team.range('cy', 'ben', `?objective=${id}`)).toHaveLength(2);
  });

  it('does not count as a presence connection, neither of the watched member nor of the watcher', async () => {
    await team.watch('ben', 'ben');
    await team.watch('cy', 'ben');
    const { connected } = await team.broker.as('ada').call('roster', {});
    expect(connected.every((presence) => presence.connected === 0)).toBe(true);
    const { delivery } = await team.broker.as('ada').call('push', { body: { body: 'hello' } });
    expect(delivery.live).toBe(0);
  });

  it('is refused before it opens: 403 without activity.read, and 404 for an unknown member', async () => {
    const status = async (name: string | null, member: string) =>
      (await team.broker.fetch(name, `/members/${member}/activity/stream`)).status;
    expect(await status('dan', 'ben')).toBe(403);
    expect(await status('dan', 'nobody')).toBe(403);
    expect(await status('cy', 'nobody')).toBe(404);
    expect(await status(null, 'ben')).toBe(401);
  });

  it('sends bye and closes at shutdown', async () => {
    const stream = await team.watch('ben', 'ben');
    await team.broker.broker.close();
    await stream.ended;
    expect(stream.frames.at(-1)?.event).toBe('bye');
  });
});

describe('within a second an activity stream ends', () => {
  /** The broker has ended the streams when it answers, however slow the machine is. */
  const end = async (ends: Promise<void>[], work: () => Promise<unknown>): Promise<void> => {
    const before = (await team.broker.openStreams()).activity;
    await work();
    expect((await team.broker.openStreams()).activity).toBe(before - ends.length);
    await Promise.all(ends);
  };

  it('when the watcher loses activity.read: its streams of others, not its own', async () => {
    const [own, others, ada] = [
      await team.watch('cy', 'cy'),
      await team.watch('cy', 'ben'),
      await team.watch('ada', 'ben'),
    ];
    await end([others.ended], () =>
      team.broker
        .as('ada')
        .call('updateMember', { params: { name: 'cy' }, body: { permissions: ['objectives.watch'] } }),
    );
    expect(others.frames.at(-1)?.event).toBe('bye');
    await team.upload('cy', [opened(1)]);
    await team.upload('ben', [opened(2)]);
    await Promise.all([rows(own, 1), rows(ada, 1)]);
    expect(rowsOf(others)).toEqual([]);
    expect((await team.broker.fetch('cy', streamPath)).status).toBe(403);
  });

  it('when the preset that granted it loses it', async () => {
    const stream = await team.watch('cy', 'ben');
    const { team: present } = await team.broker.as('ada').call('briefing', {});
    const permissionPresets = { ...present.permissionPresets, observer: ['objectives.watch'] };
    await end([stream.ended], () =>
      team.broker.as('ada').call('updateTeam', { body: { permissionPresets } as never }),
    );
  });

  it('when the token that opened it is revoked', async () => {
    const stream = await team.watch('cy', 'ben');
    const params = { name: 'cy' };
    const { tokens } = await team.broker.as('ada').call('tokens', { params });
    await end([stream.ended], () =>
      team.broker.as('ada').call('revokeToken', { params: { ...params, id: tokens[0]!.id } }),
    );
  });

  it('when the watched member is removed', async () => {
    const [ben, dan] = [await team.watch('cy', 'ben'), await team.watch('cy', 'dan')];
    await end([ben.ended], () => team.broker.as('ada').call('deleteMember', { params: { name: 'ben' } }));
    await team.upload('dan', [opened(1)]);
    await rows(dan, 1);
  });

  it('when the watching member is removed', async () => {
    const stream = await team.watch('cy', 'ben');
    await end([stream.ended], () => team.broker.as('ada').call('deleteMember', { params: { name: 'cy' } }));
  });
});
