/**
 * Channels and their members as rows. Every change of the members updates `version` and `member_count` in the
 * same transaction.
 */
import type Database from 'better-sqlite3';
import type { Channel, ChannelMember, ChannelRole } from '#protocol/channel.ts';
import type { ChannelId } from '#protocol/ids.ts';
import { formatScope } from '#protocol/scope.ts';
import { channelFacts } from './channel-facts.sqlite.ts';
import { type ChannelNews, newsOf } from './channels.rules.ts';

/** A channel with its relation to one viewer. */
export type ViewedRow = Omit<Channel, 'private'> & {
  private: 0 | 1;
  memberCount: number;
  myRole: ChannelRole | null;
};

/** A channel that a removed member was in, and who hears of that. */
export interface LeftChannel {
  id: ChannelId;
  news: ChannelNews;
}

const channelColumns =
  'id, slug, created_by AS createdBy, created_at AS createdAt, archived_at AS archivedAt, private';
const viewed = `SELECT ${channelColumns}, member_count AS memberCount, channel_member.role AS myRole
  FROM channel LEFT JOIN channel_member ON channel_member.channel_id = channel.id AND channel_member.member = ?`;

export function channelRows(db: Database.Database) {
  const { membership, membersOf } = channelFacts(db);
  const bySlug = db.prepare<[string, string], ViewedRow>(`${viewed} WHERE slug = ?`);
  const following = db.prepare<[string, string], ViewedRow>(`${viewed} WHERE slug > ? ORDER BY slug`);
  const insert = db.prepare<[string, string, string, number, 0 | 1]>(
    'INSERT INTO channel (id, slug, created_by, created_at, private) VALUES (?, ?, ?, ?, ?)',
  );
  const made = db.prepare<[string], number>('SELECT count(*) FROM channel WHERE created_by = ?').pluck();
  const change = db.prepare<[string, 0 | 1, string]>('UPDATE channel SET slug = ?, private = ? WHERE id = ?');
  const archive = db.prepare<[number, string]>('UPDATE channel SET archived_at = ? WHERE id = ?');
  const count = db
    .prepare<[number, string], number>(
      'UPDATE channel SET version = version + 1, member_count = member_count + ? WHERE id = ? RETURNING version',
    )
    .pluck();

  const members = db.prepare<[string], ChannelMember>(
    'SELECT member, role, joined_at AS joinedAt FROM channel_member WHERE channel_id = ? ORDER BY role, position',
  );
  const insertMember = db.prepare<[string, string, string, number, number, number]>(
    'INSERT INTO channel_member (channel_id, member, role, joined_at, joined_seq, position) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const setRole = db.prepare<[string, string, string]>(
    'UPDATE channel_member SET role = ? WHERE channel_id = ? AND member = ?',
  );
  const removeMember = db.prepare<[string, string]>(
    'DELETE FROM channel_member WHERE channel_id = ? AND member = ?',
  );
  const otherAdmin = db.prepare<[string, string]>(
    `SELECT 1 FROM channel_member WHERE channel_id = ? AND role = 'admin' AND member <> ? LIMIT 1`,
  );
  const firstMember = db
    .prepare<[string], string>(
      `SELECT member FROM channel_member WHERE channel_id = ? AND role = 'member' ORDER BY position LIMIT 1`,
    )
    .pluck();
  const channelsOf = db.prepare<[string], { id: ChannelId; private: 0 | 1 }>(
    'SELECT id, private FROM channel_member JOIN channel ON channel.id = channel_id WHERE member = ?',
  );
  const nextMember = db
    .prepare<[string], string>('SELECT member FROM channel_member WHERE member > ? ORDER BY member LIMIT 1')
    .pluck();

  const insertStay = db.prepare<[string, string, number, number]>(
    'INSERT INTO channel_stay (channel_id, member, from_seq, to_seq) VALUES (?, ?, ?, ?)',
  );
  const removeStays = db.prepare<[string]>('DELETE FROM channel_stay WHERE member = ?');
  const newest = db.prepare<[], number>('SELECT seq FROM message ORDER BY seq DESC LIMIT 1').pluck();
  const newestIn = db
    .prepare<[string], number>('SELECT seq FROM message WHERE scope = ? ORDER BY ts DESC, seq DESC LIMIT 1')
    .pluck();

  const hasOtherAdmin = (id: string, member: string): boolean => otherAdmin.get(id, member) !== undefined;

  /**
   * When the last admin leaves, the member who joined first becomes admin
   * (specification/channels.md#membership).
   */
  function removeFrom(id: string, member: string): void {
    const wasAdmin = membership(id, member)?.role === 'admin';
    removeMember.run(id, member);
    count.get(-1, id);
    if (!wasAdmin || hasOtherAdmin(id, member)) return;
    const heir = firstMember.get(id);
    if (heir !== undefined) setRole.run('admin', id, heir);
  }

  return {
    bySlug: (slug: string, viewer: string): ViewedRow | undefined => bySlug.get(viewer, slug),
    /** How many channels a member created, archived ones included. */
    madeBy: (member: string): number => made.get(member) ?? 0,
    /** By slug, archived ones included: those after a slug. */
    following: (viewer: string, after: string): IterableIterator<ViewedRow> =>
      following.iterate(viewer, after),
    /** Admins first, then in the order of joining. */
    membersOf: (id: string): ChannelMember[] => members.all(id),
    roleOf: (id: string, member: string): ChannelRole | null => membership(id, member)?.role ?? null,
    hasOtherAdmin,
    namesOf: (id: string): string[] => membersOf(id),
    insert: ({ id, slug, createdBy, createdAt, private: isPrivate }: Channel): void =>
      void insert.run(id, slug, createdBy, createdAt, isPrivate ? 1 : 0),
    change: (id: string, slug: string, isPrivate: boolean): void =>
      void change.run(slug, isPrivate ? 1 : 0, id),
    archive: (id: string, at: number): void => void archive.run(at, id),
    setRole: (id: string, member: string, role: ChannelRole): void => void setRole.run(role, id, member),
    bringIn(id: string, member: string, role: ChannelRole, at: number): void {
      const version = count.get(1, id) ?? 0;
      insertMember.run(id, member, role, at, newest.get() ?? 0, version);
    },
    /**
     * A stay is kept only if something was posted in it, so that joining and leaving repeatedly leaves
     * nothing behind.
     */
    letGo(id: string, member: string): void {
      const from = membership(id, member)?.joinedSeq;
      const to = newestIn.get(formatScope({ kind: 'channel', channelId: id }));
      if (from !== undefined && to !== undefined && to > from) insertStay.run(id, member, from, to);
      removeFrom(id, member);
    },
    /**
     * Removes what ends with a member: its place in every channel, and what is known of its earlier stays
     * (specification/members.md#removing-a-member). Returns the channels that it was in.
     */
    forgetMember(member: string): LeftChannel[] {
      const left = channelsOf.all(member).map((channel) => {
        removeFrom(channel.id, member);
        const isPrivate = channel.private === 1;
        const population = { isPrivate, members: isPrivate ? membersOf(channel.id) : [] };
        return { id: channel.id, news: newsOf(population, population) };
      });
      removeStays.run(member);
      return left;
    },
    /** Returns the names in any channel, one after another in order; undefined after the last. */
    nextMember: (after: string): string | undefined => nextMember.get(after),
  };
}
