/** Activity in short, and one row with its bodies (specification/activity.md#summaries). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ActivityTranscript } from '#protocol/activity-summary.ts';
import { openTestStream } from '../../testing/test-stream.ts';
import {
  type ActivityTeam,
  exchange,
  http,
  objectiveId,
  opened,
  startActivityTeam,
} from './testing/activity-team.ts';

let team: ActivityTeam;
beforeAll(async () => {
  team = await startActivityTeam({ onDisk: true });
});
afterAll(() => team.stop());

const long = 'x'.repeat(200_000);
const calling = (ts: number, over: object = {}) =>
  exchange(ts, {
    request: {
      system: long,
      messages: [
        { role: 'user', content: [{ type: 'text', text: long }] },
        { role: 'user', content: [{ type: 'tool_result', content: 'no such file', is_error: true }] },
      ],
      ...{ tools: null, maxTokens: 100, temperature: null },
    },
    response: {
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'text', text: `I look. ${long}` },
            { type: 'tool_use', name: 'Read', input: { path: 'a' } },
          ],
        },
      ],
      ...{ stopReason: 'tool_use', status: 200 },
      usage: { inputTokens: 30, outputTokens: 2, cacheReadInputTokens: 5, cacheCreationInputTokens: null },
    },
    ...over,
  });
const summaries = async (reader: string, name: string, query: Record<string, string> = {}) =>
  (await team.broker.as(reader).call('activitySummaries', { params: { name }, query })).activity;
const ofTeam = async (reader: string, query: Record<string, string> = {}) =>
  (await team.broker.as(reader).call('teamActivity', { query })).activity;

describe('a summary', () => {
  it('has what a list shows of each kind, and none of the bodies', async () => {
    const name = team.nextMember();
    await team.upload(name, [opened(1), http(2, long), calling(3)]);
    const found = await summaries(name, name);
    expect(JSON.stringify(found).length).toBeLessThan(3000);
    expect(found).toMatchObject([
      {
        ...{ memberName: name, ts: 3, kind: 'llm_exchange', isFailed: false, duration: 900 },
        exchange: {
          ...{ model: 'claude', stopReason: 'tool_use', status: 200, calls: [{ name: 'Read' }] },
          results: [{ isError: true }],
          usage: { inputTokens: 30, outputTokens: 2, cacheReadInputTokens: 5 },
        },
      },
      { kind: 'opaque_http', request: { method: 'GET', host: 'registry.example', status: 200 } },
      { kind: 'objective_open', objectiveId },
    ]);
    expect(found[0]?.exchange?.text).toMatch(/^I look\. x+$/);
    const rows = await team.range(name, name);
    expect(found.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
  });

  it('names the same call and the same result by the same key, whether the request is stored in pieces or not', async () => {
    const name = team.nextMember();
    const other = calling(3);
    other.entry.response.messages[0]?.content.splice(1, 1, {
      ...{ type: 'tool_use', name: 'Read' },
      input: { path: 'b' },
    } as never);
    const short = calling(4, {
      request: {
        ...{ system: null, tools: null, maxTokens: 100, temperature: null },
        messages: [{ role: 'user', content: [{ type: 'tool_result', content: 'no such file' }] }],
      },
    });
    await team.upload(name, [calling(1), calling(2), other, short]);
    const found = (await summaries(name, name)).map(({ exchange: one }) => one);
    const [fourth, third, second, first] = found.map((one) => one?.calls[0]?.key);
    expect(first).toBe(second);
    expect(third).not.toBe(first);
    expect(fourth).toBe(first);
    expect(new Set(found.map((one) => one?.results[0]?.key)).size).toBe(1);
  });

  it('is asked for by kind, objective, and time, as the rows are', async () => {
    const name = team.nextMember();
    await team.upload(name, [http(1), opened(2), http(3), calling(4)]);
    const times = async (query: Record<string, string>) =>
      (await summaries(name, name, query)).map(({ ts }) => ts);
    expect(await times({ kind: 'opaque_http' })).toEqual([3, 1]);
    expect(await times({ objective: objectiveId })).toEqual([4, 3, 2]);
    expect(await times({ to: '3', limit: '2' })).toEqual([3, 2]);
  });
});

describe('one row', () => {
  it('is answered with its bodies by its id, to those who may see it', async () => {
    const name = team.nextMember();
    await team.upload(name, [calling(1)]);
    const [row] = await team.range(name, name);
    const one = (reader: string, member: string, id = row?.id ?? 0) =>
      team.broker.as(reader).call('activityRow', { params: { name: member, id: String(id) as never } });
    expect(await one(name, name)).toEqual(row);
    expect(await one('cy', name)).toEqual(row);
    await expect(one('dan', name)).rejects.toMatchObject({ status: 403 });
    await expect(one('dan', 'dan')).rejects.toMatchObject({ status: 404, reason: 'unknown_activity' });
    await expect(one(name, name, 999_999)).rejects.toMatchObject({ status: 404 });
  });
});

describe('a transcript', () => {
  const transcript = (reader: string, name: string, query: Record<string, string> = {}) =>
    team.broker.as(reader).call('activityTranscript', { params: { name }, query });

  it('has what each exchange added, newest first, without the history, and with shortened texts', async () => {
    const name = team.nextMember();
    await team.upload(name, [exchange(1), http(2), calling(3)]);
    const { turns, next } = await transcript(name, name);
    expect(next).toBeNull();
    expect(turns).toMatchObject([
      {
        ...{ ts: 3, model: 'claude', isFailed: false, isCut: true, duration: 900 },
        got: [{ type: 'tool_result', content: 'no such file', is_error: true }],
        said: [{ type: 'text' }, { type: 'tool_use', name: 'Read', input: { path: 'a' } }],
      },
      { ts: 1, isCut: false, got: [{ text: 'hi' }], said: [{ text: 'hello' }] },
    ]);
    expect(turns[0]?.said[0]?.text).toHaveLength(20_000);
  });

  it('is answered in pages that have an end', async () => {
    const name = team.nextMember();
    await team.upload(name, [exchange(1), exchange(2), exchange(3)]);
    const first = await transcript(name, name, { limit: '2' });
    expect(first.turns.map(({ ts }) => ts)).toEqual([3, 2]);
    const second = await transcript('cy', name, { limit: '2', before: String(first.next) });
    expect(second).toMatchObject({ turns: [{ ts: 1 }], next: null });
    await expect(transcript('dan', name)).rejects.toMatchObject({ status: 403 });
  });

  it('ends a page after so many bytes, at a turn', async () => {
    const name = team.nextMember();
    const large = (ts: number) =>
      exchange(ts, {
        response: {
          messages: [
            {
              role: 'assistant',
              content: Array.from({ length: 40 }, () => ({ type: 'text', text: 'y'.repeat(19_000) })),
            },
          ],
          ...{ stopReason: null, status: null, usage: null },
        },
      });
    await team.upload(name, [large(1), large(2), large(3)]);
    const first = await transcript(name, name);
    expect(first.turns.map(({ ts }) => ts)).toEqual([3, 2]);
    const second = await transcript(name, name, { before: String(first.next) });
    expect(second.turns.map(({ ts }) => ts)).toEqual([1]);
  });
});

describe('activity of the team', () => {
  it('is of everybody for a reader with activity.read, and otherwise of the reader, newest first, in pages', async () => {
    const [a, b] = [team.nextMember(), team.nextMember()];
    await team.upload(a, [http(30)]);
    await team.upload(b, [http(20)]);
    await team.upload(a, [http(10)]);
    const newest = await ofTeam('cy', { limit: '2' });
    expect(newest.map(({ memberName, ts }) => [memberName, ts])).toEqual([
      [a, 10],
      [b, 20],
    ]);
    const [older] = await ofTeam('cy', { limit: '1', before: String(newest[1]?.id) });
    expect(older).toMatchObject({ memberName: a, ts: 30 });
    expect((await ofTeam(b)).map(({ memberName }) => memberName)).toEqual([b]);
    expect((await ofTeam('cy', { member: a })).map(({ ts }) => ts)).toEqual([10, 30]);
    await expect(ofTeam(b, { member: a })).rejects.toMatchObject({ status: 403 });
  });

  it('flags what failed, and can be narrowed to it', async () => {
    const name = team.nextMember();
    await team.upload(name, [
      http(1, '', { status: 404 }),
      http(2, '', { status: null }),
      http(3, '', { status: 301 }),
      exchange(4, { response: null }),
      calling(5),
      exchange(6, { response: { messages: [], stopReason: null, status: 529, usage: null } }),
      exchange(7, { response: { messages: [], stopReason: null, status: 'failed', usage: null } }),
    ]);
    const times = async (query: Record<string, string>) =>
      (await ofTeam(name, { failed: 'true', ...query })).map(({ ts, isFailed }) => isFailed && ts);
    expect(await times({})).toEqual([7, 6, 4, 2, 1]);
    expect(await times({ kind: 'llm_exchange' })).toEqual([7, 6, 4]);
    const ofAll = await ofTeam('cy', { failed: 'true', limit: '3' });
    expect(ofAll.map(({ ts, memberName }) => [memberName, ts])).toEqual([
      [name, 7],
      [name, 6],
      [name, 4],
    ]);
  });

  it('comes live as summaries, and resumes after a row', async () => {
    const [a, b] = [team.nextMember(), team.nextMember()];
    const watch = (reader: string, cursor?: string) =>
      openTestStream(`${team.broker.url}/activity/stream`, team.broker.token(reader), cursor);
    const all = await watch('cy');
    const own = await watch(b);
    await team.upload(a, [calling(1)]);
    await team.upload(b, [http(2)]);
    const seen = (stream: typeof all) =>
      stream.frames
        .filter(({ event }) => event === 'summary')
        .map(({ data }) => JSON.parse(data))
        .map(({ memberName, ts }) => [memberName, ts]);
    await all.until(() => seen(all).length === 2);
    expect(seen(all)).toEqual([
      [a, 1],
      [b, 2],
    ]);
    await own.until(() => seen(own).length === 1);
    expect(seen(own)).toEqual([[b, 2]]);
    const first = all.frames.find(({ event }) => event === 'summary')?.id;
    const resumed = await watch('cy', first);
    await resumed.until(() => seen(resumed).length === 1);
    expect(seen(resumed)).toEqual([[b, 2]]);
    for (const stream of [all, own, resumed]) stream.close();
  });
});

describe('a read of many large rows', () => {
  /** Its blocks are in no summary, and only the first of them are in a transcript. */
  const large = (ts: number) =>
    exchange(ts, {
      response: {
        messages: [
          {
            role: 'assistant',
            content: Array.from({ length: 15_000 }, () => ({ type: 'thinking', text: 'a'.repeat(150) })),
          },
        ],
        ...{ stopReason: 'end_turn', status: null, usage: null },
      },
    });
  const rows = 40;
  let name: string;
  beforeAll(async () => {
    name = team.nextMember();
    await team.upload('dan', [http(1)]);
    for (let n = 0; n < rows; n++) await team.upload(name, [large(n + 1)]);
  });

  it.each([
    `/activity?member=MEMBER&limit=200`,
    '/members/MEMBER/activity/summaries?limit=200',
    '/members/MEMBER/activity/transcript?limit=50',
  ])('lets others read between its pieces: %s', async (path) => {
    const order: string[] = [];
    const slow = team.broker.fetch('cy', path.replace('MEMBER', name)).then(async (reply) => {
      expect(reply.status).toBe(200);
      await reply.text();
      order.push('large');
    });
    for (let n = 0; n < 2; n++) await team.range('dan', 'dan');
    order.push('small');
    await slow;
    expect(order).toEqual(['small', 'large']);
  });

  it('has every row, in its order', async () => {
    const times = Array.from({ length: rows }, (_, n) => rows - n);
    expect((await summaries(name, name, { limit: '200' })).map(({ ts }) => ts)).toEqual(times);
    expect((await ofTeam(name, { limit: '200' })).map(({ ts }) => ts)).toEqual(times);
    const stream = await openTestStream(
      `${team.broker.url}/activity/stream?member=${name}`,
      team.broker.token(name),
      '0',
    );
    const seen = () =>
      stream.frames.filter(({ event }) => event === 'summary').map(({ data }) => JSON.parse(data).ts);
    await stream.until(() => seen().length === rows);
    expect(seen()).toEqual(times.toReversed());
    stream.close();
    const turns: number[] = [];
    let before: number | null = Number.MAX_SAFE_INTEGER;
    while (before !== null) {
      const query = { limit: '50', before: String(before) };
      const page: ActivityTranscript = await team.broker
        .as(name)
        .call('activityTranscript', { params: { name }, query });
      turns.push(...page.turns.map(({ ts }) => ts));
      before = page.next;
    }
    expect(turns).toEqual(times);
  });
});
