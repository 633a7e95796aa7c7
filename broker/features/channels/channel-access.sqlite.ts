/** Who is in a channel, for adapters inside their own transaction (D9). `general` has no row: everybody is in it. */
import type Database from 'better-sqlite3';
import type { ChannelRole } from '#protocol/channel.ts';
import { refuse } from '#protocol/errors.ts';

export interface ChannelRow {
  id: string;
  slug: string;
  createdBy: string;
  createdAt: number;
  archivedAt: number | null;
  /** Counts changes of who is in. */
  version: number;
}

export interface Membership {
  role: ChannelRole;
  joinedAt: number;
  /** The newest message of the store when it joined. */
  joinedSeq: number;
}

/** Messages of the channel after `from`, up to `to`, were accepted while the member was in it. */
export interface Stay {
  channelId: string;
  from: number;
  to: number;
}

export const channelColumns =
  'id, slug, created_by AS createdBy, created_at AS createdAt, archived_at AS archivedAt, version';

export function channelAccess(db: Database.Database) {
  const byId = db.prepare<[string], ChannelRow>(`SELECT ${channelColumns} FROM channel WHERE id = ?`);
  const membership = db.prepare<[string, string], Membership>(
    'SELECT role, joined_at AS joinedAt, joined_seq AS joinedSeq FROM channel_member WHERE channel_id = ? AND member = ?',
  );
  const members = db
    .prepare<[string], string>('SELECT member FROM channel_member WHERE channel_id = ?')
    .pluck();
  const presentStays = db.prepare<[number, string], Stay>(
    'SELECT channel_id AS channelId, joined_seq AS "from", ? AS "to" FROM channel_member WHERE member = ?',
  );
  const earlierStays = db.prepare<[string, string, number, number], Stay>(
    `SELECT channel_id AS channelId, from_seq AS "from", to_seq AS "to" FROM channel_stay
     WHERE member = ? AND channel_id = ? AND to_seq > ? ORDER BY to_seq LIMIT ?`,
  );
  const staysWithin = db.prepare<[string, string], Pick<Stay, 'from' | 'to'>>(
    'SELECT from_seq AS "from", to_seq AS "to" FROM channel_stay WHERE member = ? AND channel_id = ?',
  );
  const known = (id: string): ChannelRow => byId.get(id) ?? refuse('not_found', 'there is no such channel');

  function refuseOutsider(id: string, member: string): void {
    if (membership.get(id, member) === undefined)
      refuse('forbidden', 'you are not a member of this channel; join it first');
  }

  return {
    membership: (id: string, member: string): Membership | undefined => membership.get(id, member),
    membersOf: (id: string): string[] => members.all(id),
    /** @throws BrokerError not_found, gone, forbidden (D5). */
    admitPost(id: string, member: string): ChannelRow {
      const channel = known(id);
      if (channel.archivedAt !== null) refuse('gone', `#${channel.slug} is archived and takes no more posts`);
      refuseOutsider(id, member);
      return channel;
    },
    /** Archived channels stay readable. @throws BrokerError not_found, forbidden. */
    admitReader(id: string, member: string): void {
      known(id);
      refuseOutsider(id, member);
    },
    presentStaysOf: (member: string): Stay[] => presentStays.all(Number.MAX_SAFE_INTEGER, member),
    /** When somebody who is in the channel was in it; nothing for who is not. */
    staysIn(id: string, member: string): Pick<Stay, 'from' | 'to'>[] {
      const present = membership.get(id, member);
      if (present === undefined) return [];
      return [...staysWithin.all(member, id), { from: present.joinedSeq, to: Number.MAX_SAFE_INTEGER }];
    },
    /**
     * When the member was in the channels that it is in now, as far as that reaches past `after` (D6). Each earlier stay ends with a
     * message of its channel, so for the next `limit` messages no more than `limit` of them per channel are needed.
     */
    staysOf: (member: string, after: number, limit = Number.MAX_SAFE_INTEGER): Stay[] =>
      presentStays
        .all(Number.MAX_SAFE_INTEGER, member)
        .flatMap((present) => [...earlierStays.all(member, present.channelId, after, limit), present]),
  };
}
