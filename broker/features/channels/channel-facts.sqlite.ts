/**
 * The present and former members of a channel, for adapters inside their own transaction
 * (specification/channels.md#membership). It holds facts only: `features/scopes` decides what follows from
 * them. `general` has no row, because everybody is in it.
 */
import type Database from 'better-sqlite3';
import type { ChannelRole } from '#protocol/channel.ts';

/** A channel as one member sees it. */
export interface SeenChannel {
  slug: string;
  archivedAt: number | null;
  private: 0 | 1;
  /** Every change of the channel's members increases it. */
  version: number;
  /** The newest message of the store when the member joined; null if it is not in the channel. */
  joinedSeq: number | null;
}

export interface Membership {
  role: ChannelRole;
  /** The newest message of the store when the member joined. */
  joinedSeq: number;
}

/** Messages of the channel after `from`, up to `to`, were accepted while the member was in it. */
export interface Stay {
  from: number;
  to: number;
}

export function channelFacts(db: Database.Database) {
  const seenBy = db.prepare<[string, string], SeenChannel>(
    `SELECT slug, archived_at AS archivedAt, private, version, joined_seq AS joinedSeq
     FROM channel LEFT JOIN channel_member ON channel_member.channel_id = channel.id AND channel_member.member = ?
     WHERE channel.id = ?`,
  );
  const membership = db.prepare<[string, string], Membership>(
    'SELECT role, joined_seq AS joinedSeq FROM channel_member WHERE channel_id = ? AND member = ?',
  );
  const members = db
    .prepare<[string], string>('SELECT member FROM channel_member WHERE channel_id = ?')
    .pluck();
  const presentStays = db.prepare<[string], { channelId: string; from: number }>(
    'SELECT channel_id AS channelId, joined_seq AS "from" FROM channel_member WHERE member = ?',
  );
  const earlierStays = db.prepare<[string, string, number, number], Stay>(
    `SELECT from_seq AS "from", to_seq AS "to" FROM channel_stay
     WHERE member = ? AND channel_id = ? AND to_seq > ? ORDER BY to_seq LIMIT ?`,
  );
  const returned = db
    .prepare<[string], string>(
      `SELECT DISTINCT channel_id FROM channel_stay AS past WHERE member = ? AND EXISTS
         (SELECT 1 FROM channel_member AS stay WHERE stay.channel_id = past.channel_id AND stay.member = past.member)`,
    )
    .pluck();
  const allEarlierStays = db.prepare<[string, string], Stay>(
    'SELECT from_seq AS "from", to_seq AS "to" FROM channel_stay WHERE member = ? AND channel_id = ?',
  );

  function staysOf(id: string, member: string): Stay[] {
    const present = membership.get(id, member);
    const earlier = allEarlierStays.all(member, id);
    return present === undefined
      ? earlier
      : [...earlier, { from: present.joinedSeq, to: Number.MAX_SAFE_INTEGER }];
  }

  return {
    /** Undefined if there is no such channel. */
    seenBy: (id: string, member: string): SeenChannel | undefined => seenBy.get(member, id),
    membership: (id: string, member: string): Membership | undefined => membership.get(id, member),
    membersOf: (id: string): string[] => members.all(id),
    /** The channels that the member is in, each with the newest message of the store when it joined. */
    presentStaysOf: (member: string): { channelId: string; from: number }[] => presentStays.all(member),
    /** The channels that the member is in, and was in before. */
    returnedTo: (member: string): string[] => returned.all(member),
    /** The first `limit` earlier stays of the member in the channel that end after a place, oldest first. */
    earlierStaysOf: (member: string, id: string, after: number, limit: number): Stay[] =>
      earlierStays.all(member, id, after, limit),
    /** All stays of a member that is in the channel now; none of any other. */
    staysIn: (id: string, member: string): Stay[] =>
      membership.get(id, member) === undefined ? [] : staysOf(id, member),
    /** All stays of a member, also of one that has left the channel. */
    staysOf,
  };
}
