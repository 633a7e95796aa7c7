import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { limits } from '#protocol/limits.ts';
import {
  type ActivityTeam,
  closed,
  exchange,
  http,
  objectiveId,
  opened,
  startActivityTeam,
} from './testing/activity-team.ts';

let team: ActivityTeam;
/** A member without activity so far. */
let ben: string;
const kinds = ['objective_open', 'objective_close', 'llm_exchange', 'opaque_http'];

describe.each([true, false])('with stores on disk: %s', (onDisk) => {
  beforeAll(async () => {
    team = await startActivityTeam({ onDisk });
  });
  beforeEach(() => {
    ben = team.nextMember();
  });
  afterAll(() => team.stop());

  describe('POST /members/:name/activity', () => {
    it('accepts all four kinds and gives each event a row id', async () => {
      const events = [opened(1), exchange(2), http(3), closed(4)];
      const before = Date.now();
      expect(await team.upload(ben, events)).toBe(4);
      const after = Date.now();
      const rows = await team.range(ben, ben);
      const [last = 0] = rows.map(({ id }) => id);
      expect(rows.map(({ id }) => id)).toEqual([last, last - 1, last - 2, last - 3]);
      expect(rows.map(({ event }) => event)).toEqual(events.toReversed());
      for (const { memberName, createdAt } of rows) {
        expect(memberName).toBe(ben);
        expect(createdAt).toBeGreaterThanOrEqual(before);
        expect(createdAt).toBeLessThanOrEqual(after);
      }
    });

    it('keeps extra keys in entries, whatever their names, and drops those of the event itself', async () => {
      const entry = http(5, 'x', { note: { deep: [1, '\ud800', 'ü\u2028\n'] } });
      const body = JSON.stringify({ events: [{ ...entry, memberName: 'ada', id: 99 }] }).replace(
        '"note":',
        '"__proto__":{"polluted":true},"constructor":{"prototype":{}},"note":',
      );
      expect((await team.post(ben, body)).status).toBe(200);
      const text = await (await team.broker.fetch(ben, `/members/${ben}/activity`)).text();
      expect(text).toContain('"__proto__":{"polluted":true}');
      expect(text).toContain('"constructor":{"prototype":{}}');
      const [row] = JSON.parse(text).activity;
      expect(row.event.entry.note).toEqual({ deep: [1, '\ud800', 'ü\u2028\n'] });
      expect(Object.keys(row.event)).toEqual(['kind', 'ts', 'duration', 'entry']);
      expect({}).not.toHaveProperty('polluted');
    });

    it('accepts 500 events, and refuses 501 and none', async () => {
      const many = (count: number) => Array.from({ length: count }, (_, n) => opened(n));
      expect(await team.upload(ben, many(500))).toBe(500);
      for (const count of [0, 501]) {
        const reply = await team.post(ben, JSON.stringify({ events: many(count) }));
        expect(reply.status).toBe(400);
        expect(await reply.json()).toMatchObject({
          error: 'bad_request',
          details: [{ path: ['events'] }],
        });
      }
      expect(await team.range(ben, ben, '?limit=1000')).toHaveLength(500);
    });

    it.each<[string, unknown, (string | number)[]]>([
      ['another kind', { ...opened(1), kind: 'keylog' }, ['events', 1, 'kind']],
      ['an id that is not an objective’s', opened(1, 'obj_x'), ['events', 1, 'objectiveId']],
      ['a close without a result', { ...closed(1), result: undefined }, ['events', 1, 'result']],
      ['a time before 1970', opened(-1), ['events', 1, 'ts']],
      ['an entry of another kind', { ...http(1), kind: 'llm_exchange' }, ['events', 1, 'entry', 'kind']],
      ['an entry without a field', http(1, '', { url: undefined }), ['events', 1, 'entry', 'url']],
      ['an exchange without an entry', { ...exchange(1), entry: undefined }, ['events', 1, 'entry']],
      [
        'a content block of another type',
        exchange(1, {
          response: {
            messages: [{ role: 'assistant', content: [{ type: 'text' }, { type: 'video' }] }],
            stopReason: null,
            status: null,
            usage: null,
          },
        }),
        ['events', 1, 'entry', 'response', 'messages', 0, 'content', 1, 'type'],
      ],
      ['text', 'event', ['events', 1]],
      ['null', null, ['events', 1]],
    ])('refuses a whole batch with %s, and says where', async (_, event, path) => {
      const reply = await team.post(ben, JSON.stringify({ events: [opened(1), event] }));
      expect(reply.status).toBe(400);
      const body = (await reply.json()) as { message: string; details: { path: unknown }[] };
      expect(body.details[0]?.path).toEqual(path);
      expect(body.message).toContain(`body.${path.join('.')}: `);
      expect(await team.range(ben, ben)).toEqual([]);
    });

    it.each([
      ['no JSON', '{"events":', 400],
      ['an empty body', '', 400],
      ['a list', '[]', 400],
      ['null', 'null', 400],
      ['invalid UTF-8', new Uint8Array([0x7b, 0xff, 0x7d]), 400],
      ['brackets that never close', '['.repeat(1_000_000), 400],
      [
        'an entry 400,000 levels deep',
        JSON.stringify({ events: [http(1, '', { deep: 0 })] }).replace(
          '"deep":0',
          `"deep":${'['.repeat(400_000)}${']'.repeat(400_000)}`,
        ),
        400,
      ],
      ['deep nesting', `{"events":${'['.repeat(8_000_000)}${']'.repeat(8_000_000)}}`, 400],
      ['millions of lists', `{"events":[${'[],'.repeat(5_000_000)}[]]}`, 400],
      ['millions of wrong items', `{"events":[${'1,'.repeat(8_000_000)}1]}`, 400],
      [
        'millions of wrong messages',
        JSON.stringify({ events: [exchange(1)] }).replace(
          '"messages":[',
          `"messages":[${'1,'.repeat(7_000_000)}`,
        ),
        400,
      ],
      ['16 MiB and a byte', ' '.repeat(limits.body.activity + 1), 413],
    ])('refuses %s and continues', async (_, body, status) => {
      const reply = await team.post(ben, body);
      expect(reply.status).toBe(status);
      const { error, message } = (await reply.json()) as Record<string, string>;
      expect(error).toBe(status === 413 ? 'payload_too_large' : 'bad_request');
      expect(message?.length).toBeLessThan(300);
      expect(await team.upload(ben, [opened(1)])).toBe(1);
      expect(await team.range(ben, ben)).toHaveLength(1);
    });

    it('refuses a body early that is too large, also one of unknown length, and keeps the connection usable', async () => {
      const chunk = new Uint8Array(1024 * 1024).fill(0x20);
      let sent = 0;
      const body = new ReadableStream({
        pull(controller) {
          if (sent++ < 17) controller.enqueue(chunk);
          else controller.close();
        },
      });
      const reply = await team.broker.fetch(ben, `/members/${ben}/activity`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
        duplex: 'half',
      } as RequestInit);
      expect(reply.status).toBe(413);
    });

    it('accepts a body of exactly 16 MiB, and returns it', async () => {
      const empty = JSON.stringify({ events: [http(1)] });
      const text = 'x'.repeat(limits.body.activity - empty.length);
      const reply = await team.post(ben, JSON.stringify({ events: [http(1, text)] }));
      expect(reply.status).toBe(200);
      const [row] = await team.range(ben, ben);
      expect(row?.event).toMatchObject({ entry: { responseBodyPreview: text } });
    });

    it('accepts application/json only', async () => {
      const body = JSON.stringify({ events: [opened(1)] });
      for (const type of ['text/plain', 'application/octet-stream']) {
        const reply = await team.post(ben, body, type);
        expect([reply.status, ((await reply.json()) as { error: string }).error]).toEqual([
          415,
          'bad_request',
        ]);
      }
      expect((await team.post(ben, body, 'application/json; charset=utf-8')).status).toBe(200);
    });

    it('is for the member itself: nobody else may upload, directors included', async () => {
      const init = {
        method: 'POST',
        body: JSON.stringify({ events: [opened(1)] }),
        headers: { 'content-type': 'application/json' },
      };
      for (const name of ['ada', 'cy', 'dan'])
        expect((await team.broker.fetch(name, `/members/${ben}/activity`, init)).status).toBe(403);
      expect((await team.broker.fetch(null, `/members/${ben}/activity`, init)).status).toBe(401);
      expect(await team.range(ben, ben)).toEqual([]);
    });
  });

  describe('GET /members/:name/activity', () => {
    const times = (query: string, name = ben) =>
      team.range('cy', name, query).then((rows) => rows.map(({ event }) => event.ts));

    it('is newest first by (ts, id), whatever the order of the uploads', async () => {
      await team.upload(ben, [http(5), http(9), http(5, 'second')]);
      await team.upload(ben, [opened(7), http(5, 'third')]);
      const rows = await team.range(ben, ben);
      const before = Math.min(...rows.map(({ id }) => id)) - 1;
      expect(rows.map(({ event, id }) => [event.ts, id - before])).toEqual([
        [9, 2],
        [7, 4],
        [5, 5],
        [5, 3],
        [5, 1],
      ]);
    });

    it('accepts from and to, both inclusive, and a limit', async () => {
      await team.upload(
        ben,
        [1, 2, 3, 4, 5].map((ts) => http(ts)),
      );
      expect(await times('?from=2&to=4')).toEqual([4, 3, 2]);
      expect(await times('?from=4')).toEqual([5, 4]);
      expect(await times('?to=1')).toEqual([1]);
      expect(await times('?from=4&to=2')).toEqual([]);
      expect(await times('?limit=2')).toEqual([5, 4]);
    });

    it('accepts one kind or several', async () => {
      await team.upload(ben, [opened(1), exchange(2), http(3), closed(4)]);
      expect(await times('?kind=llm_exchange')).toEqual([2]);
      expect(await times('?kind=opaque_http&kind=objective_open')).toEqual([3, 1]);
      expect(await times(`?${kinds.map((kind) => `kind=${kind}`).join('&')}`)).toEqual([4, 3, 2, 1]);
      expect(await times('?kind=opaque_http&kind=opaque_http')).toEqual([3]);
    });

    it('returns 200 rows by default and at most 1000, without a gap between pages', async () => {
      for (const start of [0, 500, 1000])
        await team.upload(
          ben,
          Array.from({ length: 500 }, (_, n) => http(start + n, 'x'.repeat(2000))),
        );
      expect(await times('')).toEqual(Array.from({ length: 200 }, (_, n) => 1499 - n));
      expect(await times('?limit=1000')).toEqual(Array.from({ length: 1000 }, (_, n) => 1499 - n));
    });

    it.each([
      'limit=1001',
      'limit=0',
      'limit=x',
      'from=-1',
      'to=1.5',
      'kind=chat',
      'kind=opaque_http&kind=chat',
      'objective=x',
    ])('answers ?%s with 400', async (query) => {
      const reply = await team.broker.fetch(ben, `/members/${ben}/activity?${query}`);
      expect(reply.status).toBe(400);
      expect(await reply.json()).toHaveProperty('details');
    });

    it('narrows to the spans in which the member had an objective open', async () => {
      const other = 'obj_abcdefghjk';
      await team.upload(ben, [
        http(1),
        opened(2),
        http(3),
        closed(4, objectiveId, 'runner_shutdown'),
        http(5),
        opened(6, other),
        opened(7),
        exchange(8),
      ]);
      await team.upload('dan', [opened(1), http(5)]);
      expect(await times(`?objective=${objectiveId}`)).toEqual([8, 7, 4, 3, 2]);
      expect(await times(`?objective=${objectiveId}&kind=opaque_http`)).toEqual([3]);
      expect(await times(`?objective=${objectiveId}&limit=3`)).toEqual([8, 7, 4]);
      expect(await times(`?objective=${objectiveId}&to=5`)).toEqual([4, 3, 2]);
      expect(await times(`?objective=${other}`)).toEqual([8, 7, 6]);
      expect(await times('?objective=obj_0000000000')).toEqual([]);
    });

    it('is for the member itself and holders of activity.read', async () => {
      await team.upload(ben, [opened(1)]);
      const status = async (reader: string | null, name: string) =>
        (await team.broker.fetch(reader, `/members/${name}/activity`)).status;
      expect(await status(ben, ben)).toBe(200);
      expect(await status('cy', ben)).toBe(200);
      expect(await status('dan', ben)).toBe(403);
      expect(await status('dan', 'nobody')).toBe(403);
      expect(await status('cy', 'nobody')).toBe(404);
      expect(await status(null, ben)).toBe(401);
    });

    it('still shows the activity of a removed member', async () => {
      await team.upload(ben, [opened(1)]);
      await team.broker.as('ada').call('deleteMember', { params: { name: ben } });
      expect(await team.range('cy', ben)).toHaveLength(1);
    });

    it('continues for others when the reader of a long answer goes away', async () => {
      for (let n = 0; n < 8; n++)
        await team.upload(
          ben,
          Array.from({ length: 40 }, (_, at) => http(at, 'x'.repeat(100_000))),
        );
      for (let n = 0; n < 3; n++) {
        const reply = await team.broker.fetch('cy', `/members/${ben}/activity?limit=1000`);
        await reply.body?.cancel();
      }
      expect(await times('?limit=320')).toHaveLength(320);
    });
  });
});
