/** A store from before there was a mark for what is read. */
import { expect, it } from 'vitest';
import { openMainDatabase } from '../../testing/main-database.ts';

it('knows of each conversation of an older store whether everything in it was read', () => {
  const { db, migrate } = openMainDatabase('conversation_by_newest');
  const conversation = db.prepare("INSERT INTO conversation VALUES ('ben', ?, 1, 9)");
  const position = db.prepare("INSERT INTO read_position VALUES ('ben', ?, ?, 'id', 1)");
  for (const scope of ['dm:ada:ben', 'dm:ben:cy', 'obj:1']) conversation.run(scope);
  position.run('dm:ada:ben', 9);
  position.run('dm:ben:cy', 8);
  migrate();
  const read = db.prepare('SELECT scope FROM conversation WHERE is_read = 1').pluck();
  expect(read.all()).toEqual(['dm:ada:ben']);
  db.exec("UPDATE read_position SET seq = 9 WHERE scope = 'dm:ben:cy'");
  position.run('obj:1', 12);
  expect(read.all()).toEqual(['dm:ada:ben', 'dm:ben:cy', 'obj:1']);
  db.exec("UPDATE conversation SET last_seq = 10 WHERE scope <> 'obj:1'");
  expect(read.all()).toEqual(['obj:1']);
  db.exec("UPDATE conversation SET last_seq = 7 WHERE scope = 'dm:ben:cy'");
  expect(read.all()).toEqual(['dm:ben:cy', 'obj:1']);
});
