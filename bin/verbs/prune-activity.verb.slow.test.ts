import { statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import type { ActivityEvent } from '#protocol/activity.ts';
import { exchange } from '../../broker/features/activity/testing/activity-team.ts';
import { changeStore, storeRows } from '../../broker/testing/store-rows.ts';
import type { Home } from '../testing/command.ts';
import { it } from '../testing/home-test.ts';
import { clientOf, writeTeam } from '../testing/team-file.ts';

const dayMs = 24 * 60 * 60_000;
const event = (ts: number): ActivityEvent => ({
  kind: 'opaque_http',
  ts,
  duration: 1,
  entry: {
    kind: 'opaque_http',
    startedAt: ts,
    endedAt: ts,
    host: 'h',
    method: 'GET',
    url: 'https://h/',
    status: 200,
    requestHeaders: {},
    responseHeaders: {},
    requestBodyPreview: null,
    responseBodyPreview: 'x'.repeat(3000),
  },
});

const stores = ['--db', 'main.db', '--activity-db', 'activity.db'];
const upload = async (url: string, count: number, ts = 1): Promise<void> => {
  const body = { events: Array.from({ length: count }, (_, n) => event(ts + n)) };
  await clientOf(url, 'ben').call('uploadActivity', { params: { name: 'ben' }, body });
};
const idsIn = (home: Home) =>
  storeRows<{ id: number }>(home.path('activity.db'), 'SELECT id FROM activity ORDER BY id').map(
    ({ id }) => id,
  );
/** Makes the rows up to `id` look as if they had been stored long ago. */
const age = (home: Home, id: number, days: number): void =>
  changeStore(
    home.path('activity.db'),
    `UPDATE activity SET created_at = ${Date.now() - days * dayMs} WHERE id <= ${id}`,
  );
/** Everything that it prints besides its result: its progress, if it takes longer than a second. */
const onTheWay = /^(?:deleted so far: [\d,]+ rows\n|deleted [\d,]+ rows, freed so far: [\d.]+ [KMG]?i?B\n)*$/;
const sizeOf = (home: Home): number => statSync(home.path('activity.db')).size;
const prune = (home: Home, ...args: string[]) =>
  home.run(['prune-activity', '--activity-db', 'activity.db', ...args]);

describe.concurrent('prune-activity', () => {
  it('deletes what was stored before the given time, and shrinks the file, while the broker runs', async ({
    home,
  }) => {
    await writeTeam(home.path('svc.json'));
    const broker = await home.serve(stores);
    for (let n = 0; n < 10; n++) await upload(broker.url, 200);
    age(home, 1800, 31);
    await prune(home, '--older-than', '60d');
    expect(idsIn(home)).toHaveLength(2000);
    const before = sizeOf(home);
    let isPruned = false;
    const pruning = prune(home, '--older-than', '30d', '--json').finally(() => {
      isPruned = true;
    });
    let uploaded = 0;
    while (!isPruned) {
      await upload(broker.url, 1);
      uploaded += 1;
      await clientOf(broker.url, 'ada').call('push', { body: { body: 'meanwhile' } });
    }
    const { code, stdout, stderr } = await pruning;
    expect(code).toBe(0);
    expect(stderr).toMatch(onTheWay);
    const pruned = JSON.parse(stdout);
    expect(Object.keys(pruned)).toEqual(['rows', 'bytes']);
    expect(pruned.rows).toBe(1800);
    expect(pruned.bytes).toBeGreaterThan(1800 * 3000);
    expect(sizeOf(home)).toBeLessThan(before - 1800 * 3000 + uploaded * 5000);
    expect(idsIn(home)).toEqual(Array.from({ length: 200 + uploaded }, (_, n) => 1801 + n));
    await upload(broker.url, 1, 99);
    const query = { from: '99', to: '99', limit: '1' };
    const { activity } = await clientOf(broker.url, 'ben').call('activityRange', {
      params: { name: 'ben' },
      query,
    });
    expect(activity[0]?.id).toBe(2001 + uploaded);
  });

  it('keeps the token sums per day', async ({ home }) => {
    await writeTeam(home.path('svc.json'));
    const broker = await home.serve(stores);
    const ben = clientOf(broker.url, 'ben');
    const body = { events: [exchange(1) as ActivityEvent, exchange(2) as ActivityEvent] };
    await ben.call('uploadActivity', { params: { name: 'ben' }, body });
    age(home, 2, 31);
    expect((await prune(home, '--older-than', '30d')).code).toBe(0);
    expect(idsIn(home)).toEqual([]);
    const { usage } = await ben.call('activityUsage', { query: { from: '0', to: '0' } });
    expect(usage).toMatchObject([{ member: 'ben', day: 0, exchanges: 2, inputTokens: 6, outputTokens: 4 }]);
  });

  it('uses the time at which a row was stored, not the time that its uploader gave', async ({ home }) => {
    await writeTeam(home.path('svc.json'));
    const broker = await home.serve(stores);
    await upload(broker.url, 3, 0);
    const { code, stdout } = await prune(home, '--older-than', '1m');
    expect([code, stdout]).toEqual([0, 'deleted 0 rows and freed 0 B\n']);
    expect(idsIn(home)).toHaveLength(3);
  });

  it('shrinks a file of an earlier version once no broker has it open', async ({ home }) => {
    await writeTeam(home.path('svc.json'));
    const first = await home.serve(stores);
    await upload(first.url, 400);
    first.child.kill('SIGTERM');
    await first.ended;
    changeStore(home.path('activity.db'), 'PRAGMA journal_mode = DELETE; PRAGMA auto_vacuum = NONE; VACUUM;');
    const second = await home.serve(stores);
    age(home, 390, 2);
    const beside = await prune(home, '--older-than', '12h');
    expect(beside.stdout).toBe('deleted 390 rows and freed 0 B\n');
    expect(beside.stderr).toContain('stop the broker, and run this command again');
    second.child.kill('SIGTERM');
    await second.ended;
    const before = sizeOf(home);
    const alone = await prune(home, '--older-than', '12h');
    expect(alone.code).toBe(0);
    expect(alone.stderr).toMatch(onTheWay);
    expect(sizeOf(home)).toBeLessThan(before / 2);
    expect(idsIn(home)).toHaveLength(10);
  });

  it.for([
    [[]],
    [['--older-than', '30']],
    [['--older-than', 'd']],
    [['--older-than', '0d']],
    [['--older-than', '-1d']],
    [['--older-than', '1.5h']],
    [['--older-than', '30d', 'now']],
  ])('exits with 64 for %j', async ([args], { home }) => {
    const { code, stderr } = await prune(home, ...(args ?? []));
    expect(code).toBe(64);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it('exits with 1 and one sentence if there is no store in a file, and creates none', async ({ home }) => {
    const args = ['prune-activity', '--older-than', '30d'];
    await writeTeam(home.path('team.json'));
    await writeFile(home.path('text.db'), 'no database, but longer than an empty file '.repeat(200));
    changeStore(home.path('other.db'), 'CREATE TABLE other (x)');
    for (const [more, sentence] of [
      [[], 'activity.db". Name the activity store'],
      [['--config-path', 'svc.json'], 'a store in memory'],
      [['--activity-db', 'none.db'], 'there is no file "none.db"'],
      [
        ['--activity-db', 'text.db', '--config-path', 'none.json'],
        'cannot read the legal holds in "none.json"',
      ],
      [['--activity-db', 'text.db', '--config-path', 'team.json'], 'text.db" is damaged or is not a store'],
      [['--activity-db', 'other.db', '--config-path', 'team.json'], 'other.db" is not an activity store'],
    ] as const) {
      const { code, stdout, stderr } = await home.run([...args, ...more]);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain(sentence);
      expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    }
    expect(() => statSync(home.path('none.db'))).toThrow('ENOENT');
  });
});

describe('a legal hold in the configuration', () => {
  it('keeps the rows of the member that it names', async ({ home }) => {
    await writeTeam(home.path('svc.json'), {
      retention: { holds: [{ id: crypto.randomUUID(), on: 'member:ben', reason: 'x', by: 'ada', at: 1 }] },
    });
    const { url, child, ended } = await home.serve(stores);
    await upload(url, 3);
    const cy = { events: [event(1)] };
    await clientOf(url, 'cy').call('uploadActivity', { params: { name: 'cy' }, body: cy });
    await upload(url, 1);
    child.kill('SIGTERM');
    await ended;
    age(home, 5, 40);
    expect((await prune(home, '--older-than', '30d', '--json')).stdout).toContain('"rows":1');
    expect(idsIn(home)).toEqual([1, 2, 3, 5]);
    await writeFile(home.path('svc.json'), '{');
    expect(await prune(home, '--older-than', '30d')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cannot read the legal holds'),
    });
  });
});
