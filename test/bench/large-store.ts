/**
 * Fills a main store with a long history in a minute, with the broker's own schema and direct SQL. The shape
 * is the same at every size: `general`, one busy channel, one direct conversation, and many quiet channels.
 * `bench` is in all of them.
 */
import { createHash } from 'node:crypto';
import type Database from 'better-sqlite3';
import { mainMigrations } from '../../broker/storage/main.migrations.ts';
import { openDatabase } from '../../broker/storage/sqlite/open-database.ts';

export interface StoreSize {
  messages: number;
  channels: number;
  objectives: number;
  files: number;
}

export const million: StoreSize = { messages: 1_000_000, channels: 1000, objectives: 10_000, files: 100_000 };
export const thousand: StoreSize = { messages: 1000, channels: 4, objectives: 10, files: 100 };

/** The first word is in a third of the messages, and the second in one of ten thousand. */
export const commonWord = 'status';
export const rareWord = 'xylophone';
export const busyChannel = channelId(0);
/** Has posts at the very beginning only. */
export const quietChannel = channelId(1);
export const directKey = 'dm:bench:other';

function channelId(number: number): string {
  return `ch_${String(number).padStart(10, '0')}`;
}
const objectiveId = (number: number): string => `obj_${String(number).padStart(10, '0')}`;
const messageId = (seq: number, ts: number): string => {
  const time = ts.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${seq.toString(16).padStart(12, '0')}`;
};

const quietPosts = 60;
const everyMs = 20;
const words = ['build', 'green', 'review', 'deploy', 'cache', 'index', 'thread', 'member', 'report', 'login'];

function bodyOf(number: number): string {
  const word = (step: number): string => words[(number * step) % words.length] ?? '';
  const marked = number % 10_000 === 5000 ? rareWord : number % 3 === 0 ? commonWord : word(7);
  return `${word(1)} ${marked} ${word(3)} number ${number} ${'and what it means for the team '.repeat(2)}`;
}

/** The scope of message `number`. */
function scopeOf(number: number, { channels }: StoreSize): string {
  if (number < quietPosts) return `chan:${quietChannel}`;
  const tenth = number % 10;
  if (tenth < 4) return 'general';
  if (tenth < 6) return `chan:${busyChannel}`;
  if (tenth < 8) return directKey;
  return `chan:${channelId(2 + (Math.floor(number / 10) % (channels - 2)))}`;
}

/** `isIndexed` fills the search index as well; otherwise, the broker does it when it starts. */
export function fillStore(file: string, size: StoreSize, isIndexed: boolean): void {
  const db = openDatabase(file, 'writer', mainMigrations);
  db.pragma('synchronous = OFF');
  db.pragma('foreign_keys = OFF');
  const start = Date.now() - (size.messages + size.objectives) * everyMs - 60_000;
  db.transaction(() => {
    fillChannels(db, size, start);
    fillMessages(db, size, start);
    fillObjectives(db, size, start + size.messages * everyMs);
    fillFiles(db, size, start);
    if (isIndexed) fillIndex(db);
  })();
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
}

function fillChannels(db: Database.Database, { channels }: StoreSize, at: number): void {
  const channel = db.prepare(
    'INSERT INTO channel (id, slug, created_by, created_at, version, member_count) VALUES (?, ?, ?, ?, 2, 2)',
  );
  const member = db.prepare(
    'INSERT INTO channel_member (channel_id, member, role, joined_at, joined_seq, position) VALUES (?, ?, ?, ?, 0, ?)',
  );
  for (let number = 0; number < channels; number++) {
    channel.run(channelId(number), `channel-${number}`, 'bench', at);
    member.run(channelId(number), 'bench', 'admin', at, 1);
    member.run(channelId(number), 'other', 'member', at, 2);
  }
}

const messageSql =
  "INSERT INTO message (id, ts, sender, recipient, scope, title, body, level, data, attachments) VALUES (?, ?, ?, ?, ?, NULL, ?, 'info', ?, '[]')";
const addressSql = 'INSERT INTO addressed (member, seq, taken) VALUES (?, ?, ?)';

function fillMessages(db: Database.Database, size: StoreSize, start: number): void {
  const message = db.prepare(messageSql);
  const address = db.prepare(addressSql);
  let first = 0;
  let last = 0;
  for (let number = 0; number < size.messages; number++) {
    const scope = scopeOf(number, size);
    const [sender, receiver] = number % 7 < 4 ? ['other', 'bench'] : ['bench', 'other'];
    const isDirect = scope === directKey;
    const ts = start + number * everyMs;
    const data = scope.startsWith('chan:') ? JSON.stringify({ thread: scope }) : '{}';
    const seq = number + 1;
    message.run(messageId(seq, ts), ts, sender, isDirect ? receiver : null, scope, bodyOf(number), data);
    if (!isDirect) continue;
    address.run('bench', seq, 1);
    address.run('other', seq, 1);
    first ||= seq;
    last = seq;
  }
  conversation(db, directKey, first, last);
}

function conversation(db: Database.Database, scope: string, first: number, last: number): void {
  const begin = db.prepare(
    'INSERT INTO conversation (member, scope, first_seq, last_seq) VALUES (?, ?, ?, ?)',
  );
  for (const member of ['bench', 'other']) begin.run(member, scope, first, last);
}

/** Each objective has its first audit event and notice; every tenth one is open. */
function fillObjectives(db: Database.Database, { messages, objectives }: StoreSize, start: number): void {
  const objective = db.prepare(
    "INSERT INTO objective (num, id, title, outcome, body, status, assignee, originator, attachments, created_at, updated_at) VALUES (?, ?, ?, 'it is proven', '', ?, ?, 'bench', '[]', ?, ?)",
  );
  const event = db.prepare(
    "INSERT INTO objective_event (num, seq, ts, actor, kind, payload) VALUES (?, 1, ?, 'bench', 'assigned', ?)",
  );
  const message = db.prepare(messageSql);
  const address = db.prepare(addressSql);
  for (let number = 1; number <= objectives; number++) {
    const id = objectiveId(number);
    const ts = start + number * everyMs;
    const title = `objective ${number} ${words[number % words.length]}`;
    const assignee = number % 2 === 0 ? 'bench' : 'other';
    const payload = { assignee, title, outcome: 'it is proven', watchers: [] };
    objective.run(number, id, title, number % 10 === 0 ? 'active' : 'done', assignee, ts, ts);
    event.run(number, ts, JSON.stringify(payload));
    const seq = messages + number;
    const told = { type: 'objective.assigned', objectiveId: id, seq: 1, payload };
    const data = JSON.stringify({ thread: `obj:${id}`, event: told });
    message.run(messageId(seq, ts), ts, 'bench', null, `obj:${id}`, `bench assigned “${title}”.`, data);
    for (const member of ['bench', 'other']) address.run(member, seq, 1);
    conversation(db, `obj:${id}`, seq, seq);
  }
}

/**
 * Two homes with folders of a hundred files. Every tenth file is shared with everybody or in a channel.
 * Entries only, without content.
 */
function fillFiles(db: Database.Database, { files, channels }: StoreSize, at: number): void {
  const entry = db.prepare(
    'INSERT INTO fs_entry (path, parent, size, mime_type, hash, created_at, created_by, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const grant = db.prepare('INSERT INTO fs_grant (audience, path, granted_at) VALUES (?, ?, ?)');
  const directory = (path: string, parent: string) =>
    entry.run(path, parent, null, null, null, at, 'system', at);
  directory('/', '');
  for (const home of ['/bench', '/other']) directory(home, '/');
  for (let number = 0; number < files; number++) {
    const owner = number % 200 < 100 ? 'other' : 'bench';
    const parent = `/${owner}/folder-${Math.floor(number / 100)}`;
    if (number % 100 === 0) directory(parent, `/${owner}`);
    const path = `${parent}/file-${number}.txt`;
    const hash = createHash('sha256').update(path).digest('hex');
    entry.run(path, parent, 100, 'text/plain', hash, at, owner, at);
    if (number % 10 > 0) continue;
    grant.run(number % 100 === 0 ? 'general' : `chan:${channelId(number % channels)}`, path, at);
  }
}

function fillIndex(db: Database.Database): void {
  for (const index of ['message_words', 'objective_text'])
    db.exec(`INSERT INTO ${index} (${index}) VALUES ('rebuild')`);
  db.exec(`
    UPDATE index_progress SET up_to = (SELECT max(seq) FROM message) WHERE what = 'message';
    UPDATE index_progress SET up_to = (SELECT max(num) FROM objective) WHERE what = 'objective';
  `);
}
