import { expect, it } from 'vitest';
import { type MainDatabase, openMainDatabase } from '../../testing/main-database.ts';
import { sharingThreadKeysOf } from '../scopes/scope-access.sqlite.ts';

type Db = MainDatabase['db'];

function addObjective(db: Db, num: number): void {
  db.prepare(
    `INSERT INTO objective (num, id, title, outcome, body, status, assignee, originator, attachments, created_at, updated_at)
     VALUES (?, ?, '', '', '', 'active', 'ada', 'ben', '[]', 1, 1)`,
  ).run(num, `o${num}`);
}
function addFile(db: Db, path: string): void {
  db.prepare("INSERT INTO fs_entry VALUES (?, '/ben', 1, 'text/plain', 'hash', 1, 'ben', 1)").run(path);
}
function grant(db: Db, audience: string, path: string): void {
  db.prepare('INSERT INTO fs_grant (audience, path, granted_at) VALUES (?, ?, 1)').run(audience, path);
}

it('knows the threads that share files from the first grant to the last, also of an objective that is recorded later', () => {
  const { db } = openMainDatabase();
  const sharing = sharingThreadKeysOf(db);
  for (const num of [1, 2]) addObjective(db, num);
  for (const path of ['/ben/a', '/ben/b']) addFile(db, path);
  expect(sharing('ada')).toEqual([]);
  grant(db, 'obj:o1', '/ben/a');
  grant(db, 'obj:o1', '/ben/b');
  grant(db, 'chan:o2', '/ben/a');
  grant(db, 'obj:o3', '/ben/a');
  expect(sharing('ada')).toEqual(['obj:o1']);
  addObjective(db, 3);
  expect(sharing('ada').sort()).toEqual(['obj:o1', 'obj:o3']);
  expect(sharing('ben').sort()).toEqual(['obj:o1', 'obj:o3']);
  expect(sharing('cy')).toEqual([]);
  db.prepare("INSERT INTO objective_watcher (num, member, position) VALUES (3, 'cy', 1)").run();
  expect(sharing('cy')).toEqual(['obj:o3']);

  // The grants of a removed file go with it.
  db.prepare("DELETE FROM fs_entry WHERE path = '/ben/a'").run();
  expect(sharing('ada')).toEqual(['obj:o1']);
  db.prepare("DELETE FROM fs_entry WHERE path = '/ben/b'").run();
  expect(sharing('ada')).toEqual([]);
});

it('finds the threads of a store from before they were marked', () => {
  const { db, migrate } = openMainDatabase('objective_shares');
  for (const num of [1, 2]) addObjective(db, num);
  addFile(db, '/ben/a');
  grant(db, 'obj:o2', '/ben/a');
  migrate();
  expect(sharingThreadKeysOf(db)('ada')).toEqual(['obj:o2']);
});
