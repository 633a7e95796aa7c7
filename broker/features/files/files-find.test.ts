/** Files by words in their names (specification/files.md#finding). */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { limits } from '#protocol/limits.ts';
import { openMainDatabase } from '../../testing/main-database.ts';
import { fileUnits } from './files.sqlite.ts';
import { type FileTeam, startFileTeam } from './testing/file-team.ts';

let team: FileTeam;
beforeAll(async () => {
  team = await startFileTeam({ members: { ada: ['admin'], ben: [], cy: [] } });
  for (const path of [
    '/ben/plans/reef plan.md',
    '/ben/plans/secret plan.md',
    '/ada/plan.txt',
    '/cy/Plan B.txt',
  ])
    await team.write(path.split('/')[1] ?? '', path, 'text');
});
afterAll(() => team.stop());

const find = async (member: string, q: string) =>
  (await team.as(member).call('findFiles', { query: { q } })).entries.map(({ path }) => path);

it('finds what the member may list, and a manager everything', async () => {
  expect(await find('ben', 'plan')).toEqual([
    '/ben/plans',
    '/ben/plans/reef plan.md',
    '/ben/plans/secret plan.md',
  ]);
  expect(await find('ben', 'PLAN reef')).toEqual(['/ben/plans/reef plan.md']);
  expect(await find('cy', 'plan')).toEqual(['/cy/Plan B.txt']);
  expect(await find('ada', 'plan')).toEqual([
    '/ada/plan.txt',
    '/ben/plans',
    '/ben/plans/reef plan.md',
    '/ben/plans/secret plan.md',
    '/cy/Plan B.txt',
  ]);
});

it('finds a file of another home as soon as it is shared, and neither its folder nor its neighbor, until it is gone', async () => {
  await team.share('ben', 'cy', '/ben/plans/reef plan.md');
  expect(await find('cy', 'plan')).toEqual(['/ben/plans/reef plan.md', '/cy/Plan B.txt']);
  expect(await find('cy', 'ben')).toEqual([]);
  await team.as('ben').call('removeFile', { query: { path: '/ben/plans/reef plan.md' } });
  expect(await find('cy', 'plan')).toEqual(['/cy/Plan B.txt']);
});

it('finds what a channel shares while the member is in it', async () => {
  const channel = await team.as('ben').call('createChannel', { body: { slug: 'reef' } });
  await team.as('ben').call('joinChannel', { params: { slug: 'reef' }, body: { member: 'cy' } });
  await team.as('ben').call('push', {
    body: { body: 'see', data: { thread: `chan:${channel.id}` }, attachments: ['/ben/plans/secret plan.md'] },
  });
  expect(await find('cy', 'secret')).toEqual(['/ben/plans/secret plan.md']);
  await team.as('ben').call('leaveChannel', { params: { slug: 'reef', name: 'cy' } });
  expect(await find('cy', 'secret')).toEqual([]);
});

it('refuses a query without a word', async () => {
  const reply = await team.fetch('ben', '/fs/find?q=%20');
  expect(reply.status).toBe(400);
});

it('looks at a bounded number of entries at a time, and goes on after the last one', () => {
  const { db } = openMainDatabase();
  const entry = db.prepare("INSERT INTO fs_entry VALUES (?, '/', 1, 'text/plain', 'hash', 1, 'ben', 1)");
  const grant = db.prepare("INSERT INTO fs_grant (audience, path, granted_at) VALUES ('to:ben', ?, 1)");
  const paths = ['/aaa/', '/ben/', '/cy/'].flatMap((home) =>
    Array.from(
      { length: 30 },
      (_, n) => `${home}${String(n).padStart(2, '0')} ${n % 10 === 0 ? 'chart' : 'other'}`,
    ),
  );
  for (const path of paths) {
    entry.run(path);
    if (!path.startsWith('/ben/')) grant.run(path);
  }
  const { findFiles } = fileUnits(db).reads;
  const charts = paths.filter((path) => path.endsWith('chart'));
  for (const examined of [1, 7, 30, 90, 1000])
    for (const limit of [1, 2, 100]) {
      const found: string[] = [];
      let pages = 0;
      for (let after: string | null = ''; after !== null; pages++) {
        const page: ReturnType<typeof findFiles> = findFiles({
          ...{ caller: { name: 'ben', permissions: [] }, q: 'chart', after, limit, examined },
        });
        found.push(...page.entries.map(({ path }) => path));
        after = page.next;
      }
      expect(found, `${examined} examined, ${limit} at a time`).toEqual(charts);
      expect(pages).toBeGreaterThanOrEqual(Math.floor(90 / examined));
    }
  expect(limits.fsFind.examined).toBeLessThanOrEqual(2000);
});
