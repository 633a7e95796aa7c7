/**
 * Determines who reads and posts in a conversation, for adapters inside their own transaction. Other features ask here and read no
 * memberships themselves. A conversation is named by its stored key; `scope-access.rules.ts` decides.
 */
import type Database from 'better-sqlite3';
import { refuse } from '#protocol/errors.ts';
import { foldedName } from '#protocol/folded-name.ts';
import { formatScope } from '#protocol/scope.ts';
import type { Reader } from '../../runtime/actor.ts';
import { channelFacts, type SeenChannel } from '../channels/channel-facts.sqlite.ts';
import { generalRows } from '../channels/general-rows.sqlite.ts';
import { objectivesOfMember, threadFacts } from '../objectives/thread-facts.sqlite.ts';
import { isKnownTo, isPermitted, type Standing, threadMembers } from './scope-access.rules.ts';
import { channelIdSql, channelKeySql, parseScopeKey, type StoredScope } from './scope-key.ts';

/** A member may read the messages of a conversation after position `from`, up to position `to`. */
export interface ReadableRange {
  /** Stored key. */
  scope: string;
  from: number;
  to: number;
}

/** `general` or a channel that a member is in, from its present stay on. */
export interface PresentScope {
  /** Stored key. */
  scope: string;
  /** Messages up to this position were not for the member. */
  from: number;
  /** The newest position, which may be before the member's stay; null if there is none. */
  newest: number | null;
  /** The position up to which the member marked it as read. */
  read: number | null;
}

/** A message, as far as it decides for whom it was. */
export interface StoredAddress {
  seq: number;
  /** Epoch ms. */
  ts: number;
  sender: string;
  recipient: string | null;
  /** Stored key. */
  scope: string;
}

const noEnd = Number.MAX_SAFE_INTEGER;
const general = formatScope({ kind: 'general' });
const channelKey = (channelId: string): string => formatScope({ kind: 'channel', channelId });

export function scopeAccess(db: Database.Database) {
  const channels = channelFacts(db);
  const threads = threadFacts(db);
  const generals = generalRows(db);
  const isAddressed = db
    .prepare<[string, number], number>('SELECT 1 FROM addressed WHERE member = ? AND seq = ?')
    .pluck();
  const addressedBy = db.prepare<[number], string>('SELECT member FROM addressed WHERE seq = ?').pluck();

  // One statement, because asking for each channel alone takes eight times as long.
  const presentChannels = db.prepare<[string], PresentScope>(
    `SELECT ${channelKeySql('stay.channel_id')} AS scope, joined_seq AS "from", read_position.seq AS read,
       (SELECT seq FROM message WHERE scope = ${channelKeySql('stay.channel_id')}
        ORDER BY ts DESC, seq DESC LIMIT 1) AS newest
     FROM channel_member AS stay LEFT JOIN read_position
       ON read_position.member = stay.member AND read_position.scope = ${channelKeySql('stay.channel_id')}
     WHERE stay.member = ?`,
  );
  const presentCount = db
    .prepare<[string], number>('SELECT count(*) FROM channel_member WHERE member = ?')
    .pluck();
  // CROSS JOIN: from the member's channels to the messages of the range in each of them, and never the other way round.
  const inChannels = db
    .prepare<[number, number, number, number, string], number>(
      `SELECT message.seq FROM channel_member AS stay CROSS JOIN message ON message.scope = ${channelKeySql('stay.channel_id')}
         AND ts >= ? AND ts <= ? AND message.seq > max(?, joined_seq) AND message.seq <= ?
       WHERE stay.member = ?`,
    )
    .pluck();
  const amongAll = db
    .prepare<[string, number, number], number>(
      `SELECT message.seq FROM message CROSS JOIN channel_member AS stay
         ON stay.channel_id = ${channelIdSql('scope')} AND stay.member = ? AND joined_seq < message.seq
       WHERE message.seq > ? AND message.seq <= ?`,
    )
    .pluck();
  const tsAt = db
    .prepare<[number], number>('SELECT ts FROM message WHERE seq <= ? ORDER BY seq DESC LIMIT 1')
    .pluck();
  const presentGeneral = db.prepare<[string, number, string], Omit<PresentScope, 'scope' | 'from'>>(
    `SELECT (SELECT seq FROM message WHERE scope = ? AND ts >= ? ORDER BY ts DESC, seq DESC LIMIT 1) AS newest,
       (SELECT seq FROM read_position WHERE member = ? AND scope = '${general}') AS read`,
  );
  const retiredAt = db
    .prepare<[string, string], number>('SELECT retired_at FROM retired_name WHERE folded = ? AND name = ?')
    .pluck();

  /** When the member was removed from the team, epoch ms; without an end for one that was not. */
  const goneAt = (member: string): number => retiredAt.get(foldedName(member), member) ?? noEnd;

  /** Undefined if there is no such channel for the reader. */
  function seenChannel(channelId: string, { name, isManager }: Reader): SeenChannel | undefined {
    const channel = channels.seenBy(channelId, name);
    if (channel === undefined) return undefined;
    const viewer = { isMember: channel.joinedSeq !== null, isManager };
    return isKnownTo({ isPrivate: channel.private === 1 }, viewer) ? channel : undefined;
  }

  /** Undefined if there is no such channel or objective for the reader. */
  function standingOf(scope: StoredScope, reader: Reader): Standing | undefined {
    const { name, isManager } = reader;
    switch (scope.kind) {
      case 'general':
        return scope;
      case 'channel': {
        const channel = seenChannel(scope.channelId, reader);
        return channel && { kind: 'channel', isMember: channel.joinedSeq !== null };
      }
      case 'objective': {
        const roles = threads.rolesOf(scope.objectiveId, name);
        return roles && { kind: 'objective', ...roles, isManager };
      }
      case 'direct':
        return { kind: 'direct', isParticipant: scope.members.includes(name) };
    }
  }

  function mayRead(key: string, reader: Reader): boolean {
    const standing = standingOf(parseScopeKey(key), reader);
    return standing !== undefined && isPermitted('read', standing);
  }

  return {
    /** Whether the reader may read the conversation at this moment; false for one that does not exist. */
    mayRead,
    /** Whether the conversation exists for the reader, who may be outside. */
    knows: (key: string, reader: Reader): boolean => standingOf(parseScopeKey(key), reader) !== undefined,
    /** `mayRead` for one reader and one transaction; it looks up each conversation once. */
    readableBy(reader: Reader): (key: string) => boolean {
      const isReadableByKey = new Map<string, boolean>();
      return (key) => {
        const known = isReadableByKey.get(key);
        if (known !== undefined) return known;
        const isReadable = mayRead(key, reader);
        isReadableByKey.set(key, isReadable);
        return isReadable;
      };
    },
    /** Those of the managers who may read the conversation at this moment. */
    managersIn: (key: string, managers: readonly string[]): string[] =>
      managers.filter((name) => mayRead(key, { name, isManager: true })),
    /** Archived channels stay readable. @throws BrokerError not_found, forbidden. */
    admitReader(key: string, reader: Reader): void {
      const scope = parseScopeKey(key);
      const standing = standingOf(scope, reader) ?? refuse(missing[scope.kind]);
      if (!isPermitted('read', standing)) refuse(outside[scope.kind]);
    },
    /**
     * Returns the version of the channel's members, which every change of them increases. @throws BrokerError
     * not_found, gone, forbidden (specification/messages.md#push).
     */
    admitPost(channelId: string, reader: Reader): number {
      const channel = seenChannel(channelId, reader) ?? refuse('unknown_channel');
      if (channel.archivedAt !== null) refuse('channel_archived', { slug: channel.slug, act: 'posted to' });
      if (!isPermitted('post', { kind: 'channel', isMember: channel.joinedSeq !== null }))
        refuse('not_in_channel');
      return channel.version;
    },
    /** Everybody in a channel. */
    channelMembers: channels.membersOf,
    /** Returns who may read the conversation at this moment: names, or null for everybody. `managers`: the holders of members.manage. */
    readersOf(key: string, managers: readonly string[]): string[] | null {
      const scope = parseScopeKey(key);
      switch (scope.kind) {
        case 'general':
          return null;
        case 'channel':
          return channels.membersOf(scope.channelId);
        case 'objective': {
          const thread = threads.find(scope.objectiveId);
          return thread === undefined ? [] : threadMembers(thread, managers);
        }
        case 'direct':
          return [...new Set(scope.members)];
      }
    },
    /** Whether the message was for the member when it was accepted; in a channel, also whether the member is still in it. */
    wasFor({ seq, ts, sender, recipient, scope }: StoredAddress, member: string): boolean {
      if (recipient !== null) return recipient === member;
      if (sender === member) return false;
      const where = parseScopeKey(scope);
      switch (where.kind) {
        case 'general':
          return generals.joinedAt(member) <= ts;
        case 'channel':
          return channels.staysIn(where.channelId, member).some(({ from, to }) => from < seq && seq <= to);
        case 'objective':
          return isAddressed.get(member, seq) !== undefined;
        case 'direct':
          return false;
      }
    },
    /** Those for whom the message can have been, among them everybody for whom `wasFor` is true: names, or null for everybody. */
    candidatesOf({ seq, recipient, scope }: StoredAddress): string[] | null {
      if (recipient !== null) return [recipient];
      const where = parseScopeKey(scope);
      switch (where.kind) {
        case 'general':
          return null;
        case 'channel':
          return channels.membersOf(where.channelId);
        case 'objective':
          return addressedBy.all(seq);
        case 'direct':
          return [];
      }
    },
    /**
     * Whether the member sent the message or it was for the member, also if the member has left the channel since. The
     * channels that a removed member was in are not known anymore, so everything in `general` and in channels up to its removal counts.
     */
    concerned({ seq, ts, sender, recipient, scope }: StoredAddress, member: string): boolean {
      if (sender === member || recipient === member) return true;
      const where = parseScopeKey(scope);
      switch (where.kind) {
        case 'general':
          return generals.joinedAt(member) <= ts && ts <= goneAt(member);
        case 'channel':
          return generals.isIn(member)
            ? channels.staysOf(where.channelId, member).some(({ from, to }) => from < seq && seq <= to)
            : ts <= goneAt(member);
        case 'objective':
          return isAddressed.get(member, seq) !== undefined;
        case 'direct':
          return where.members.includes(member);
      }
    },
    /**
     * The position after which the member's present stay in the conversation begins: 0 outside channels, null
     * if the member is not in the channel.
     */
    presentSince(key: string, member: string): number | null {
      const scope = parseScopeKey(key);
      return scope.kind === 'channel' ? (channels.membership(scope.channelId, member)?.joinedSeq ?? null) : 0;
    },
    /** When the member joined the team, epoch ms: earlier messages of `general` are not for it. */
    joinedTeamAt: generals.joinedAt,
    /** `general`, of which messages before the member joined the team are not for it, and the member's channels. */
    presentScopesOf: (
      member: string,
    ): { general: PresentScope & { since: number }; channels: PresentScope[] } => {
      const since = generals.joinedAt(member);
      const { newest = null, read = null } = presentGeneral.get(general, since, member) ?? {};
      return {
        general: { scope: general, from: 0, since, newest, read },
        channels: presentChannels.all(member),
      };
    },
    /** How many channels the member is in. */
    channelCountOf: (member: string): number => presentCount.get(member) ?? 0,
    /**
     * The positions of posts after `from`, up to `to`, in the channels that the member is in, from its present stays, in no order.
     * Costs as much as the range or the number of channels, whichever is less, and as what is found.
     */
    presentPositions(member: string, from: number, to: number, channelCount: number): number[] {
      if (to - from <= channelCount) return amongAll.all(member, from, to);
      return inChannels.all(tsAt.get(from) ?? 0, tsAt.get(to) ?? 0, from, to, member);
    },
    /**
     * `general`, and the member's earlier stays in channels that it is in again, as far as they reach past
     * `after`. For the next `limit` messages, at most `limit` earlier stays per channel are needed, because
     * each of them ends with a message (specification/streams.md#resuming).
     */
    rangesOf: (member: string, after: number, limit: number): ReadableRange[] => [
      { scope: general, from: 0, to: noEnd },
      ...channels
        .returnedTo(member)
        .flatMap((channelId) =>
          channels
            .earlierStaysOf(member, channelId, after, limit)
            .map(({ from, to }) => ({ scope: channelKey(channelId), from, to })),
        ),
    ],
    /** The keys of the channels that the member is in. */
    channelKeysOf: (member: string): string[] =>
      channels.presentStaysOf(member).map(({ channelId }) => channelKey(channelId)),
  };
}

/** The keys of the threads that were granted files and that a member is in by name; managers are in every thread. */
export function sharingThreadKeysOf(db: Database.Database): (member: string) => string[] {
  const sharingObjectivesOf = objectivesOfMember(db, 'shares = 1');
  return (member) => [
    ...new Set(
      sharingObjectivesOf(member).map((objectiveId) => formatScope({ kind: 'objective', objectiveId })),
    ),
  ];
}

const missing = {
  general: 'unknown_conversation',
  channel: 'unknown_channel',
  objective: 'unknown_objective',
  direct: 'unknown_conversation',
} as const;

const outside = {
  general: 'not_in_conversation',
  channel: 'not_in_channel',
  objective: 'not_in_thread',
  direct: 'not_in_conversation',
} as const;
