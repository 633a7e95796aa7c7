import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DayUsage } from '#protocol/activity.ts';
import { changeStore } from '../../testing/store-rows.ts';
import { type ActivityTeam, exchange, http, opened, startActivityTeam } from './testing/activity-team.ts';

const dayMs = 86_400_000;
/** The start of a day in UTC. */
const monday = Date.UTC(2026, 5, 1);
const tuesday = monday + dayMs;
const june = `from=${monday}&to=${monday + 29 * dayMs}`;

const used = (ts: number, model: string | null, counts: (number | null)[]) => {
  const [inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens] = counts;
  const usage = { inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens };
  return exchange(ts, {
    model,
    response: { messages: [], stopReason: null, status: null, usage },
  });
};
const silent = (ts: number) => exchange(ts, { model: null, response: null });

/** All days are derived from this time, so that no midnight interferes. */
const now = Date.UTC(2026, 6, 15, 12);
let team: ActivityTeam;
let ben: string;

async function usage(reader: string, query: string): Promise<DayUsage[]> {
  const reply = await team.broker.fetch(reader, `/activity/usage?${query}`);
  if (reply.status !== 200) throw new Error(`${reply.status}: ${await reply.text()}`);
  return ((await reply.json()) as { usage: DayUsage[] }).usage;
}
async function refused(reader: string | null, query: string): Promise<[number, string]> {
  const reply = await team.broker.fetch(reader, `/activity/usage?${query}`);
  return [reply.status, ((await reply.json()) as { message: string }).message];
}
const row = (day: number, model: string | null, exchanges: number, counts: number[]) => {
  const [inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens] = counts;
  return {
    ...{ member: ben, day, model, exchanges },
    ...{ inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens },
  };
};

describe.each([true, false])('GET /activity/usage, with stores on disk: %s', (onDisk) => {
  beforeAll(async () => {
    team = await startActivityTeam({ onDisk, clock: () => now });
  });
  beforeEach(() => {
    ben = team.nextMember();
  });
  afterAll(() => team.stop());

  it('sums tokens and exchanges per day in UTC and model, oldest first, across uploads', async () => {
    await team.upload(ben, [
      used(tuesday, 'opus', [1, 2, 3, 4]),
      used(monday, 'opus', [10, 20, 30, 40]),
      used(tuesday - 1, 'opus', [1, 1, 1, 1]),
      used(monday + 5, 'haiku', [7, 0, 0, null]),
      opened(monday),
      http(monday),
    ]);
    await team.upload(ben, [used(monday + 6, 'haiku', [3, 5, null, null])]);
    expect(await usage(ben, june)).toEqual([
      row(monday, 'haiku', 2, [10, 5, 0, 0]),
      row(monday, 'opus', 2, [11, 21, 31, 41]),
      row(tuesday, 'opus', 1, [1, 2, 3, 4]),
    ]);
  });

  it('counts an exchange without usage or without an answer, with no tokens', async () => {
    const unsaid = exchange(monday, {
      model: 'opus',
      response: { messages: [], stopReason: null, status: null, usage: null },
    });
    await team.upload(ben, [silent(monday), unsaid, silent(monday)]);
    expect(await usage(ben, june)).toEqual([
      row(monday, null, 2, [0, 0, 0, 0]),
      row(monday, 'opus', 1, [0, 0, 0, 0]),
    ]);
  });

  it('returns every day that the range touches, completely', async () => {
    await team.upload(
      ben,
      [-1, 0, 1, 2].map((n) => used(monday + n * dayMs + 1000, 'opus', [n + 2, 0, 0, 0])),
    );
    const days = async (from: number, to: number) =>
      (await usage(ben, `from=${from}&to=${to}`)).map(({ day }) => (day - monday) / dayMs);
    expect(await days(monday, monday)).toEqual([0]);
    expect(await days(tuesday - 1, tuesday)).toEqual([0, 1]);
    expect(await days(monday - 1, tuesday + dayMs - 1)).toEqual([-1, 0, 1]);
  });

  it('returns the last 30 days by default', async () => {
    const today = now - (now % dayMs);
    await team.upload(
      ben,
      [0, 29, 30].map((n) => silent(today - n * dayMs)),
    );
    expect((await usage(ben, '')).map(({ day }) => (today - day) / dayMs)).toEqual([29, 0]);
    expect((await usage(ben, `to=${today - dayMs}`)).map(({ day }) => (today - day) / dayMs)).toEqual([
      30, 29,
    ]);
    expect(await usage(ben, `from=${today}`)).toHaveLength(1);
  });

  it('accepts 400 days, and refuses more, and days in the wrong order, with one sentence', async () => {
    expect(await usage(ben, `from=${monday}&to=${monday + 400 * dayMs - 1}`)).toEqual([]);
    expect(await refused(ben, `from=${monday}&to=${monday + 400 * dayMs}`)).toEqual([
      400,
      'query: asks for more than 400 days; ask for fewer days at a time',
    ]);
    expect(await refused(ben, 'from=0')).toEqual([
      400,
      'query: asks for more than 400 days; ask for fewer days at a time',
    ]);
    expect(await refused(ben, `from=${tuesday}&to=${monday}`)).toEqual([
      400,
      'query.from: must not be after query.to',
    ]);
    for (const query of ['from=x', 'to=-1', 'from=1.5', 'member=a&member=b'])
      expect((await refused(ben, query))[0], query).toBe(400);
  });

  it('is for the member itself and holders of activity.read; without a name, it returns what the caller may see', async () => {
    const other = team.nextMember();
    await team.upload(ben, [silent(monday)]);
    await team.upload(other, [silent(monday)]);
    const members = async (reader: string, query = june) =>
      (await usage(reader, query)).map(({ member }) => member);
    expect(await members(ben)).toEqual([ben]);
    expect(await members(ben, `${june}&member=${ben}`)).toEqual([ben]);
    expect(await members('cy')).toEqual(expect.arrayContaining([ben, other]));
    expect(await members('cy', `${june}&member=${ben}`)).toEqual([ben]);
    expect((await refused(other, `${june}&member=${ben}`))[0]).toBe(403);
    expect((await refused(other, 'member=nobody'))[0]).toBe(403);
    expect((await refused(other, 'member='))[0]).toBe(403);
    expect((await refused(null, june))[0]).toBe(401);
    expect(await refused('cy', 'member=nobody')).toEqual([404, 'there is no member named "nobody"']);
    expect(await members('dan', june)).toEqual([]);
  });

  it('still reports a removed member', async () => {
    await team.upload(ben, [silent(monday)]);
    await team.broker.as('ada').call('deleteMember', { params: { name: ben } });
    expect(await usage('cy', `${june}&member=${ben}`)).toHaveLength(1);
  });

  it('counts nothing of a refused batch', async () => {
    const reply = await team.post(ben, JSON.stringify({ events: [silent(monday), { kind: 'keylog' }] }));
    expect(reply.status).toBe(400);
    expect(await usage(ben, june)).toEqual([]);
  });

  it('stays a number that JSON carries exactly, whatever an uploader claims', async () => {
    const most = Number.MAX_SAFE_INTEGER;
    for (let n = 0; n < 2; n++)
      await team.upload(ben, [used(monday, 'x', [most, 1, 0, 0]), used(monday, 'x', [most, 1, 0, 0])]);
    expect(await usage(ben, june)).toEqual([row(monday, 'x', 4, [most, 4, 0, 0])]);
  });

  it('keeps 16 models of a member’s day, by their first 128 characters, and sums the others without a name', async () => {
    const names = Array.from({ length: 20 }, (_, n) => `model ${String(n).padStart(2, '0')}`);
    await team.upload(
      ben,
      names.map((name) => used(monday, name, [1, 0, 0, 0])),
    );
    await team.upload(ben, [used(monday, 'model 00', [5, 0, 0, 0]), used(monday, 'model 19', [5, 0, 0, 0])]);
    await team.upload(ben, [
      used(tuesday, '😀'.repeat(200), [1, 0, 0, 0]),
      used(tuesday, '😀'.repeat(128), [1, 0, 0, 0]),
    ]);
    const rows = await usage(ben, june);
    expect(rows[0]).toEqual(row(monday, null, 5, [9, 0, 0, 0]));
    expect(rows[1]).toEqual(row(monday, 'model 00', 2, [6, 0, 0, 0]));
    expect(rows.slice(2, 17).map(({ model }) => model)).toEqual(names.slice(1, 16));
    expect(rows.slice(17)).toEqual([row(tuesday, '😀'.repeat(128), 2, [2, 0, 0, 0])]);
  });
});

describe('an activity store from before there were sums', () => {
  const beforeSums = `DROP TRIGGER request_pieces_come_loose; DROP TABLE piece; DROP TABLE split_request; DROP TABLE loose_piece;
    DROP TABLE audit_anchor; DROP TABLE usage; DROP TRIGGER activity_floor_rises; DROP TABLE activity_floor; DROP TABLE removal;
    DROP INDEX activity_of_kind; DROP INDEX activity_of_member_and_kind; DROP INDEX failure; DROP INDEX failure_of_member;
    ALTER TABLE activity DROP COLUMN failed; PRAGMA user_version = 2`;
  /** Starts the broker on the store as a version without sums left it. */
  async function migrateAgain(): Promise<void> {
    await team.broker.broker.close();
    changeStore(join(team.broker.folder, 'activity.db'), beforeSums);
    await team.broker.restart();
  }

  beforeAll(async () => {
    team = await startActivityTeam({ onDisk: true });
  });
  beforeEach(() => {
    ben = team.nextMember();
  });
  afterAll(() => team.stop());

  it('has the sums that its rows would have produced, and continues from there', async () => {
    const other = team.nextMember();
    const most = Number.MAX_SAFE_INTEGER;
    await team.upload(ben, [
      used(monday, 'opus', [10, 20, 30, 40]),
      used(tuesday - 1, 'opus', [1, null, 1, 1]),
      used(tuesday, 'opus', [1, 2, 3, 4]),
      used(tuesday, '😀'.repeat(200), [1, 2, 3, 4]),
      used(tuesday, '"; DROP TABLE usage; --', [1, 2, 3, 4]),
      used(tuesday, '', [1, 0, 0, 0]),
      silent(tuesday),
      http(monday),
      opened(monday),
    ]);
    await team.upload(
      other,
      Array.from({ length: 3 }, () => used(monday, 'opus', [most, 1, 0, 0])),
    );
    const before = await usage('cy', june);
    expect(before).toHaveLength(6);
    await migrateAgain();
    expect(await usage('cy', june)).toEqual(before);
    await team.upload(ben, [used(monday, 'opus', [100, 0, 0, 0])]);
    expect((await usage(ben, june))[0]).toEqual(row(monday, 'opus', 3, [111, 20, 31, 41]));
  });

  it('keeps the names of the 16 models of a day with the most requests, and every token', async () => {
    const names = Array.from({ length: 20 }, (_, n) => `model ${n}`);
    const events = names.flatMap((name, n) =>
      Array.from({ length: n + 1 }, () => used(monday, name, [1, 0, 0, 0])),
    );
    await team.upload(ben, events);
    await migrateAgain();
    const rows = await usage(ben, june);
    expect(rows[0]).toEqual(row(monday, null, 1 + 2 + 3 + 4, [10, 0, 0, 0]));
    expect(rows.map(({ model }) => model).slice(1)).toEqual(names.slice(4).toSorted());
    expect(rows.reduce((sum, { inputTokens }) => sum + inputTokens, 0)).toBe(events.length);
  });
});
