/**
 * What a member has not read yet, per scope. The cost grows with what is unread, not with everything that was
 * ever written (specification/receipts.md#reading).
 */
import type Database from 'better-sqlite3';
import { limits } from '#protocol/limits.ts';
import { mentionsIn } from '#protocol/mentions.ts';
import type { Unread } from '#protocol/receipt.ts';
import type { Reader } from '../../runtime/actor.ts';
import type { AsyncUnits } from '../../storage/units.ts';
import { scopeAccess } from '../scopes/scope-access.sqlite.ts';
import { scopeNameOf } from '../scopes/scope-key.ts';

interface Begun {
  scope: string;
  /** Earlier messages were not for the member. */
  first: number;
  last: number;
  /** Messages that were accepted before it were not either; epoch ms. */
  since?: number;
}

/**
 * Mentions are found when a message is indexed; of the messages that are not indexed yet, at most this many
 * are searched here.
 */
const maxUnindexed = 1000;

export function unreadUnits(db: Database.Database) {
  const conversations = db.prepare<[string], Begun>(
    'SELECT scope, first_seq AS first, last_seq AS last FROM conversation WHERE member = ?',
  );
  const positions = db.prepare<[string], { scope: string; seq: number; messageId: string }>(
    'SELECT scope, seq, message_id AS messageId FROM read_position WHERE member = ?',
  );
  const tsAt = db
    .prepare<[number], number>('SELECT ts FROM message WHERE seq <= ? ORDER BY seq DESC LIMIT 1')
    .pluck();
  const unread = db
    .prepare<[string, number, number, string, number], number>(
      'SELECT count(*) FROM (SELECT 1 FROM message WHERE scope = ? AND ts >= ? AND seq > ? AND sender <> ? LIMIT ?)',
    )
    .pluck();
  const mentions = db
    .prepare<[string, string, number], number>(
      'SELECT count(*) FROM mention WHERE member = ? AND scope = ? AND seq > ?',
    )
    .pluck();
  const unindexed = db.prepare<
    [string, number],
    { scope: string; seq: number; title: string | null; body: string }
  >(
    `SELECT scope, seq, title, body FROM message
     WHERE seq > (SELECT up_to FROM index_progress WHERE what = 'message') AND sender <> ? ORDER BY seq LIMIT ?`,
  );
  const newestIn = db.prepare<[string], { seq: number; ts: number }>(
    'SELECT seq, ts FROM message WHERE scope = ? ORDER BY ts DESC, seq DESC LIMIT 1',
  );
  const idAt = db.prepare<[number], string>('SELECT id FROM message WHERE seq = ?').pluck();
  const access = scopeAccess(db);

  /**
   * Where a member may read everything since a time and a position, its newest message is looked up;
   * elsewhere it is known.
   */
  function newestSeq({ scope, first, last, since = 0 }: Begun): number {
    if (last !== Number.MAX_SAFE_INTEGER) return last;
    const newest = newestIn.get(scope);
    return newest !== undefined && newest.seq >= first && newest.ts >= since ? newest.seq : 0;
  }

  return {
    reads: {
      unread: (reader: Reader): Unread => {
        const { name } = reader;
        const positionByScope = new Map(positions.all(name).map((one) => [one.scope, one]));
        const begun = conversations.all(name);
        const scopes: Begun[] = [
          ...access
            .presentRangesOf(name)
            .map(({ scope, from, to, since }) => ({ scope, first: from + 1, last: to, since })),
          ...begun.filter(({ scope }) => access.mayRead(scope, reader)),
        ];
        const lateByScope = Map.groupBy(
          unindexed
            .all(name, maxUnindexed)
            .filter(({ title, body }) => mentionsIn(`${title ?? ''}\n${body}`).has(name)),
          (one) => one.scope,
        );
        const counts = scopes.map(({ scope, first, last: newest, since = 0 }) => {
          const position = positionByScope.get(scope);
          const after = Math.max(position?.seq ?? 0, first - 1);
          const from = Math.max(newest <= after ? 0 : (tsAt.get(after) ?? 0), since);
          const count =
            newest <= after ? 0 : (unread.get(scope, from, after, name, limits.unreadCounted) ?? 0);
          const late = (lateByScope.get(scope) ?? []).filter(({ seq }) => seq > after).length;
          return {
            scope: scopeNameOf(scope, name),
            count,
            mentions: count === 0 ? 0 : (mentions.get(name, scope, after) ?? 0) + late,
            lastReadId: position?.messageId ?? null,
          };
        });
        const newest = scopes.reduce((most, scope) => Math.max(most, newestSeq(scope)), 0);
        return { scopes: counts, newestId: idAt.get(newest) ?? null };
      },
    },
    writes: {},
  };
}
export type UnreadUnits = AsyncUnits<typeof unreadUnits>;
