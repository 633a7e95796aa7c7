import { expect, it } from 'vitest';
import { openMainDatabase } from '../../testing/main-database.ts';
import { fileUnits } from './files.sqlite.ts';

const ada = (permissions: 'members.manage'[] = []) => ({ name: 'ada', permissions });

/** Every page of what is shared with a member, `limit` paths at a time. */
function pagesOf(
  db: ReturnType<typeof openMainDatabase>['db'],
  permissions: 'members.manage'[],
  limit: number,
) {
  const { filesSharedWith } = fileUnits(db).reads;
  const pages: string[][] = [];
  for (let after: string | null = ''; after !== null; ) {
    const page: ReturnType<typeof filesSharedWith> = filesSharedWith({
      caller: ada(permissions),
      after,
      limit,
    });
    pages.push(page.entries.map(({ path }) => path));
    after = page.next;
  }
  return pages;
}

it('has each shared file once and in order, whatever the page and however many grants it has', () => {
  const { db } = openMainDatabase();
  const entry = db.prepare("INSERT INTO fs_entry VALUES (?, '/ben', 1, 'text/plain', 'hash', 1, 'ben', 1)");
  const grant = db.prepare('INSERT INTO fs_grant (audience, path, granted_at) VALUES (?, ?, 1)');
  const member = db.prepare("INSERT INTO channel_member VALUES (?, 'ada', 'member', 1, 0, 1)");
  const channel = db.prepare(
    "INSERT INTO channel (id, slug, created_by, created_at) VALUES (?, ?, 'ben', 1)",
  );
  for (const id of ['one', 'two', 'other']) channel.run(id, id);
  for (const id of ['one', 'two']) member.run(id);
  const paths = Array.from({ length: 40 }, (_, n) => `/ben/${String(n).padStart(2, '0')}`);
  for (const [n, path] of [
    ...paths,
    '/ada/own',
    '/ada/own 2',
    '/aaa/first',
    '/ada-b/near',
    '/ada0',
    '/ada0/far',
    '/ben/secret',
    '/ben/thread',
    '/ben/🦊',
  ].entries()) {
    entry.run(path);
    if (path === '/ben/secret') grant.run('chan:other', path);
    else if (path === '/ben/thread') for (const id of ['obj:a', 'obj:b']) grant.run(id, path);
    else if (n % 2 === 0) for (const audience of ['general', 'to:ada']) grant.run(audience, path);
    else for (const audience of ['chan:one', 'chan:two']) grant.run(audience, path);
  }
  const around = ['/aaa/first', '/ada-b/near', '/ada0/far'];
  for (const limit of [1, 3, 7, 41, 100]) {
    expect(pagesOf(db, [], limit).flat(), `${limit} at a time`).toEqual([...around, ...paths, '/ben/🦊']);
    const forManager = pagesOf(db, ['members.manage'], limit);
    expect(forManager.flat(), `${limit} at a time`).toEqual([...around, ...paths, '/ben/thread', '/ben/🦊']);
    expect(Math.max(...forManager.map((page) => page.length))).toBeLessThanOrEqual(limit);
  }
});
