/** A store from before there was a mark for what is read. */
import { expect, it } from 'vitest';
import { openMainDatabase } from '../../testing/main-database.ts';

it('knows of each conversation of an older store what is new', () => {
  const { db, migrate } = openMainDatabase('conversation_by_newest');
  const conversation = db.prepare("INSERT INTO conversation VALUES ('ben', ?, 1, 9)");
  const position = db.prepare(
    "INSERT INTO read_position (member, scope, seq, message_id, at) VALUES ('ben', ?, ?, 'id', 1)",
  );
  const message = db.prepare(
    `INSERT INTO message (seq, id, ts, sender, recipient, scope, title, body, level, data, attachments)
     VALUES (?, 'id ' || ?, ?, ?, 'x', ?, NULL, '', 'info', '{}', '[]')`,
  );
  const post = (seq: number, sender: string, scope: string) => message.run(seq, seq, seq, sender, scope);
  const theirs = { 'dm:ada:ben': 4, 'dm:ben:cy': 6, 'dm:ben:own': null, 'obj:1': 8 };
  for (const [scope, seq] of Object.entries(theirs)) {
    conversation.run(scope);
    if (seq !== null) post(seq, 'cy', scope);
  }
  post(9, 'ben', 'dm:ben:own');
  position.run('dm:ada:ben', 4);
  position.run('dm:ben:cy', 5);
  migrate();
  const news = () =>
    Object.fromEntries(
      db
        .prepare<[], { scope: string; news: number }>('SELECT scope, news FROM conversation')
        .all()
        .map((row) => [row.scope, row.news]),
    );
  const [none, own, ofOthers] = [0, 1, 2];
  expect(news()).toEqual({
    'dm:ada:ben': own,
    'dm:ben:cy': ofOthers,
    'dm:ben:own': own,
    'obj:1': ofOthers,
  });
  db.exec("UPDATE read_position SET seq = 6 WHERE scope = 'dm:ben:cy'");
  db.exec("UPDATE read_position SET seq = 9 WHERE scope = 'dm:ada:ben'");
  position.run('obj:1', 12);
  expect(news()).toEqual({ 'dm:ada:ben': none, 'dm:ben:cy': own, 'dm:ben:own': own, 'obj:1': none });
  db.exec("UPDATE conversation SET last_seq = 10, last_theirs = 10 WHERE scope <> 'obj:1'");
  expect(news()).toEqual({
    'dm:ada:ben': ofOthers,
    'dm:ben:cy': ofOthers,
    'dm:ben:own': ofOthers,
    'obj:1': none,
  });
  db.exec("UPDATE conversation SET last_seq = 5, last_theirs = 3 WHERE scope = 'dm:ben:cy'");
  expect(news()['dm:ben:cy']).toBe(none);
});
