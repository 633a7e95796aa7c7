/**
 * The messages that a member has not read yet, per conversation. The cost grows with what is unread, not with
 * everything that was ever written or read (specification/receipts.md#reading).
 */
import type Database from 'better-sqlite3';
import type { UnreadMessage } from '#protocol/attention.ts';
import { limits } from '#protocol/limits.ts';
import { isMentioned } from '#protocol/mentions.ts';
import type { UnreadMarks } from '#protocol/receipt.ts';
import { formatScope } from '#protocol/scope.ts';
import type { Reader } from '../../runtime/actor.ts';
import type { AsyncUnits } from '../../storage/units.ts';
import { scopeAccess } from '../scopes/scope-access.sqlite.ts';
import { isDirectKeySql, parseScopeKey, scopeNameOf } from '../scopes/scope-key.ts';

/** A conversation whose messages after a position are counted, possibly in several steps. */
export interface UnreadPlace {
  /** Stored key. */
  scope: string;
  /** The last position that was read, or that was not for the member, or up to which was counted. */
  after: number;
  /** Messages that were accepted before it were not for the member; epoch ms. */
  since: number;
  count: number;
  isCounted: boolean;
  mentions: number;
  lastReadId: string | null;
  /** Found because its newest message is newer than what was read; the others are shown in any case. */
  isNew: boolean;
}

export interface UnreadPlaces {
  /** First those that are new, the newest first, even if only the member itself wrote. */
  places: UnreadPlace[];
  /** The conversations that are shown in any case, in order. */
  shown: string[];
  /** Messages up to this position are counted. */
  upTo: number;
  /** The newest message that the member may read. */
  newestId: string | null;
  /** There are more with messages from others, or more may follow those that the member may not read anymore. */
  hasMore: boolean;
}

/** The messages in a conversation that are newer than what was read. */
const news = { none: 0, own: 1, ofOthers: 2 } as const;
type News = (typeof news)[keyof typeof news];

interface Begun {
  scope: string;
  /** Earlier messages were not for the member. */
  first: number;
  /** Messages that were accepted before it were not either; epoch ms. */
  since: number;
  /** The position of the newest message for the member. */
  newest: number;
}

/**
 * Mentions are found when a message is indexed; of the messages that are not indexed yet, so many are searched here, or so many
 * characters.
 */
const unindexed = { messages: 1000, characters: 1_000_000 };
/** Conversations of which the member may read none of the messages anymore are passed over, at most so many. */
const maxPassedOver = 1000;
/** Messages that one step counts, where each conversation costs as much as some messages: it takes a millisecond or two. */
const perStep = 5_000;
const perPlace = 20;

const general = formatScope({ kind: 'general' });

const nothingNew = (scope: string, lastReadId: string | null): UnreadPlace => ({
  scope,
  after: 0,
  since: 0,
  count: 0,
  isCounted: true,
  mentions: 0,
  lastReadId,
  isNew: false,
});

/** `ts`: in epoch ms. `scope`: stored key. */
interface ShownRow {
  seq: number;
  id: string;
  ts: number;
  sender: string;
  scope: string;
  excerpt: string;
}

const shownTo = ({ name }: Reader, { id, ts, sender: from, scope, excerpt }: ShownRow): UnreadMessage => ({
  id,
  ts,
  from,
  scope: scopeNameOf(scope, name),
  excerpt,
});

/** The newest message of others in a direct conversation is looked for among so many. */
const latestExamined = 100;

export function unreadUnits(db: Database.Database) {
  const conversations = db.prepare<[string, News], { scope: string; first: number; newest: number }>(
    `SELECT scope, first_seq AS first, last_seq AS newest FROM conversation
     WHERE member = ? AND news = ? ORDER BY last_seq DESC`,
  );
  const directConversations: typeof conversations = db.prepare(
    `SELECT scope, first_seq AS first, last_seq AS newest FROM conversation
     WHERE member = ? AND news = ? AND ${isDirectKeySql('scope')} ORDER BY last_seq DESC`,
  );
  const newIn = db.prepare<[string, string], { scope: string; first: number; newest: number }>(
    `SELECT scope, first_seq AS first, last_seq AS newest FROM conversation
     WHERE member = ? AND scope = ? AND news > 0`,
  );
  const position = db.prepare<[string, string], { seq: number; messageId: string | null }>(
    "SELECT seq, nullif(message_id, '') AS messageId FROM read_position WHERE member = ? AND scope = ?",
  );
  const lastPositions = db.prepare<[string, number], { scope: string; messageId: string | null }>(
    "SELECT scope, nullif(message_id, '') AS messageId FROM read_position WHERE member = ? ORDER BY at DESC LIMIT ?",
  );
  const tsAt = db
    .prepare<[number], number>('SELECT ts FROM message WHERE seq <= ? ORDER BY seq DESC LIMIT 1')
    .pluck();
  const counted = db.prepare<
    [string, string, number, number, number, number],
    { examined: number; others: number; last: number }
  >(
    `SELECT count(*) AS examined, count(CASE WHEN sender <> ? THEN 1 END) AS others, max(seq) AS last FROM
       (SELECT seq, sender FROM message WHERE scope = ? AND ts >= ? AND seq > ? AND seq <= ? ORDER BY ts, seq LIMIT ?)`,
  );
  const mentions = db
    .prepare<[string, string, number, number], number>(
      'SELECT count(*) FROM (SELECT 1 FROM mention WHERE member = ? AND scope = ? AND seq > ? LIMIT ?)',
    )
    .pluck();
  const firstOfOthers = db
    .prepare<[string, number, number, number, string], number | null>(
      `SELECT min(seq) FROM (SELECT seq, sender FROM message WHERE scope = ? AND ts >= ? AND seq > ? ORDER BY ts, seq LIMIT ?)
       WHERE sender <> ?`,
    )
    .pluck();
  const mentionsAfter = db
    .prepare<[string, string, number, number], string>(
      `SELECT message.id FROM (SELECT seq FROM mention WHERE member = ? AND scope = ? AND seq > ? ORDER BY seq LIMIT ?)
         JOIN message USING (seq) ORDER BY seq`,
    )
    .pluck();
  const notIndexed = db.prepare<
    [string, number],
    { scope: string; seq: number; title: string | null; body: string }
  >(
    `SELECT scope, seq, title, body FROM message
     WHERE seq > (SELECT up_to FROM index_progress WHERE what = 'message') AND sender <> ? ORDER BY seq LIMIT ?`,
  );
  const critical = db.prepare<[number, number], ShownRow>(
    `SELECT seq, id, ts, sender, scope, substr(body, 1, ?) AS excerpt FROM message
     WHERE level = 'critical' ORDER BY seq DESC LIMIT ?`,
  );
  const latest = db.prepare<[number, string, number], ShownRow>(
    `SELECT seq, id, ts, sender, scope, substr(body, 1, ?) AS excerpt FROM message
     WHERE scope = ? ORDER BY ts DESC, seq DESC LIMIT ?`,
  );
  const newestMention = db.prepare<[number, string, string, number], ShownRow>(
    `SELECT message.seq AS seq, id, ts, sender, message.scope AS scope, substr(body, 1, ?) AS excerpt FROM
       (SELECT seq FROM mention WHERE member = ? AND scope = ? AND seq > ? ORDER BY seq DESC LIMIT 1)
       JOIN message USING (seq)`,
  );
  const newestSeq = db.prepare<[], number>('SELECT seq FROM message ORDER BY seq DESC LIMIT 1').pluck();
  const idAt = db.prepare<[number], string>('SELECT id FROM message WHERE seq = ?').pluck();
  const access = scopeAccess(db);

  /** The `most` newest direct conversations and threads of a kind that the member may read, newest first. */
  function addressedTo(
    reader: Reader,
    kind: News,
    most: number,
    { from = conversations, except = new Set<string>() } = {},
  ): { begun: Begun[]; hasMore: boolean } {
    const begun: Begun[] = [];
    let passedOver = 0;
    for (const one of from.iterate(reader.name, kind)) {
      if (except.has(one.scope)) continue;
      if (begun.length === most || passedOver === maxPassedOver) return { begun, hasMore: true };
      if (access.mayRead(one.scope, reader)) begun.push({ ...one, since: 0 });
      else passedOver += 1;
    }
    return { begun, hasMore: false };
  }

  /** Those with messages of others: all that are direct, and then threads. */
  function addressedByOthers(reader: Reader): ReturnType<typeof addressedTo> {
    const { scopes } = limits.unread;
    const direct = addressedTo(reader, news.ofOthers, scopes, { from: directConversations });
    const except = new Set(direct.begun.map(({ scope }) => scope));
    const threads = addressedTo(reader, news.ofOthers, scopes - except.size, { except });
    return { begun: [...direct.begun, ...threads.begun], hasMore: direct.hasMore || threads.hasMore };
  }

  /** `general` and the channels of the member. */
  function sharedScopes(name: string) {
    const present = access.presentScopesOf(name);
    return [present.general, ...present.channels.map((one) => ({ ...one, since: 0 }))];
  }

  const newOfShared = (shared: ReturnType<typeof sharedScopes>): Begun[] =>
    shared.flatMap(({ scope, from, since, newest, read }) =>
      newest === null || newest <= Math.max(from, read ?? 0)
        ? []
        : [{ scope, first: from + 1, since, newest }],
    );

  /** The newest message that is after what was read and addresses the member; mentions only in what is indexed. */
  function newestFor(name: string, { scope, first, newest }: Begun): ShownRow | undefined {
    const after = Math.max(position.get(name, scope)?.seq ?? 0, first - 1);
    if (newest <= after) return undefined;
    const { excerpt } = limits.attention;
    if (parseScopeKey(scope).kind !== 'direct') return newestMention.get(excerpt, name, scope, after);
    for (const row of latest.iterate(excerpt, scope, latestExamined)) {
      if (row.seq <= after) return undefined;
      if (row.sender !== name) return row;
    }
    return undefined;
  }

  /** The positions of messages that mention the member and are not indexed yet, by scope. */
  function lateMentions(name: string): Map<string, number[]> {
    const late = new Map<string, number[]>();
    let left = unindexed.characters;
    for (const { scope, seq, title, body } of notIndexed.iterate(name, unindexed.messages)) {
      if (isMentioned(name, { title, body })) late.set(scope, [...(late.get(scope) ?? []), seq]);
      left -= body.length;
      if (left < 0) break;
    }
    return late;
  }

  /** Undefined if nothing is new. */
  function newPlace(
    name: string,
    { scope, first, since, newest }: Begun,
    late: readonly number[] = [],
  ): UnreadPlace | undefined {
    const read = position.get(name, scope);
    const after = Math.max(read?.seq ?? 0, first - 1);
    if (newest <= after) return undefined;
    const indexed = mentions.get(name, scope, after, limits.unread.counted) ?? 0;
    return {
      scope,
      after,
      since,
      count: 0,
      isCounted: false,
      mentions: indexed + late.filter((seq) => seq > after).length,
      lastReadId: read?.messageId ?? null,
      isNew: true,
    };
  }

  /** Returns the beginning of what can be new for the member; null if nothing is. */
  function beginning(scope: string, name: string): { after: number; since: number } | null {
    if (scope === general) return { after: 0, since: access.joinedTeamAt(name) };
    const { kind } = parseScopeKey(scope);
    const after =
      kind === 'channel' ? access.presentSince(scope, name) : (newIn.get(name, scope)?.first ?? null);
    if (after === null) return null;
    return { after: kind === 'channel' ? after : after - 1, since: 0 };
  }

  /** Whether a message is for the member, and after what it has read. */
  function isUnread(message: { scope: string; seq: number; ts: number }, reader: Reader): boolean {
    if (!access.mayRead(message.scope, reader)) return false;
    const from = beginning(message.scope, reader.name);
    if (from === null || message.seq <= from.after || message.ts < from.since) return false;
    return message.seq > (position.get(reader.name, message.scope)?.seq ?? 0);
  }

  /** `general`, and what the member marked as read last. */
  function shownAnyway(reader: Reader): { scope: string; lastReadId: string | null }[] {
    const { name } = reader;
    const marked = lastPositions.all(name, limits.unread.read);
    return [
      { scope: general, lastReadId: position.get(name, general)?.messageId ?? null },
      ...marked.flatMap(({ scope, messageId }) =>
        scope !== general && access.mayRead(scope, reader) ? [{ scope, lastReadId: messageId }] : [],
      ),
    ];
  }

  return {
    reads: {
      /** Returns where something is new, and then the others of `general` and what was marked as read last. */
      unreadPlaces: (reader: Reader): UnreadPlaces => {
        const { name } = reader;
        const shared = sharedScopes(name);
        const withNews = newOfShared(shared);
        const addressed = addressedByOthers(reader);
        const own = addressedTo(reader, news.own, limits.unread.scopes - addressed.begun.length);
        const begun = [...withNews, ...addressed.begun, ...own.begun].sort((a, b) => b.newest - a.newest);
        const late = lateMentions(name);
        const places = begun.flatMap((one) => newPlace(name, one, late.get(one.scope)) ?? []);
        const found = new Set(places.map(({ scope }) => scope));
        const shown = shownAnyway(reader);
        const others = shown
          .filter(({ scope }) => !found.has(scope))
          .map(({ scope, lastReadId }): UnreadPlace => {
            const one = newIn.get(name, scope);
            const place = one && newPlace(name, { since: 0, ...one }, late.get(scope));
            return place === undefined ? nothingNew(scope, lastReadId) : { ...place, isNew: false };
          });
        const newest = [
          ...shared.map((one) => (one.newest !== null && one.newest > one.from ? one.newest : 0)),
          ...[...addressedTo(reader, news.none, 1).begun, ...begun].map((one) => one.newest),
        ];
        return {
          places: [...places, ...others],
          shown: shown.map(({ scope }) => scope),
          upTo: newestSeq.get() ?? 0,
          newestId: idAt.get(Math.max(0, ...newest)) ?? null,
          hasMore: addressed.hasMore,
        };
      },
      /**
       * Finds the first message of others and the first mentions after what was read, among as many messages as are counted; mentions
       * only in what is indexed. @throws BrokerError not_found, forbidden.
       */
      unreadMarks: (input: { reader: Reader; scope: string; mentions: number }): UnreadMarks => {
        const { reader, scope } = input;
        access.admitReader(scope, reader);
        const from = beginning(scope, reader.name);
        if (from === null) return { firstId: null, mentionIds: [] };
        const after = Math.max(from.after, position.get(reader.name, scope)?.seq ?? 0);
        const since = Math.max(from.since, tsAt.get(after) ?? 0);
        const first = firstOfOthers.get(scope, since, after, limits.unread.counted, reader.name);
        return {
          firstId: idAt.get(first ?? 0) ?? null,
          mentionIds: mentionsAfter.all(reader.name, scope, after, input.mentions),
        };
      },
      /** Returns the newest critical messages of others, newest first, that are for the member and after what it has read. */
      unreadCritical: (input: { reader: Reader; limit: number }): UnreadMessage[] => {
        const { reader, limit } = input;
        const { examined, excerpt } = limits.attention;
        return critical
          .all(excerpt, examined)
          .filter((one) => one.sender !== reader.name && isUnread(one, reader))
          .slice(0, limit)
          .map((row) => shownTo(reader, row));
      },
      /**
       * Returns the newest unread message that addresses the reader, for each conversation that has one, newest first: any message of others
       * in a direct conversation, and elsewhere one that mentions the reader. Only the conversations with the newest messages are searched.
       */
      unreadAddressed: (input: { reader: Reader; limit: number }): UnreadMessage[] => {
        const { reader, limit } = input;
        const { conversations: most } = limits.attention;
        const { begun } = addressedTo(reader, news.ofOthers, most);
        return [...newOfShared(sharedScopes(reader.name)), ...begun]
          .sort((a, b) => b.newest - a.newest)
          .slice(0, most)
          .flatMap((one) => newestFor(reader.name, one) ?? [])
          .sort((a, b) => b.seq - a.seq)
          .slice(0, limit)
          .map((row) => shownTo(reader, row));
      },
      /**
       * Counts messages of others, in the given order and as many as one step may. Returns the places, without those that the
       * reader may not read anymore.
       */
      countUnread: (input: { reader: Reader; upTo: number; places: UnreadPlace[] }): UnreadPlace[] => {
        const { reader, upTo } = input;
        let left = perStep;
        return input.places.flatMap((place) => {
          if (place.isCounted || left <= 0) return [place];
          const from = access.mayRead(place.scope, reader)
            ? access.presentSince(place.scope, reader.name)
            : null;
          if (from === null) return [];
          const after = Math.max(place.after, from);
          const limit = Math.min(left, limits.unread.counted);
          // The index is ordered by time, and time never decreases with the position.
          const since = Math.max(place.since, tsAt.get(after) ?? 0);
          const row = counted.get(reader.name, place.scope, since, after, upTo, limit);
          const { examined, others, last } = row ?? { examined: 0, others: 0, last: 0 };
          left -= examined + perPlace;
          const count = Math.min(limits.unread.counted, place.count + others);
          const isCounted = examined < limit || count === limits.unread.counted;
          return [{ ...place, after: examined === 0 ? after : last, count, isCounted }];
        });
      },
    },
    writes: {},
  };
}
export type UnreadUnits = AsyncUnits<typeof unreadUnits>;
