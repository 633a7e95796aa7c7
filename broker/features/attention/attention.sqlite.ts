/** The items that members have dealt with or put off, in the main store (specification/attention.md). */
import type Database from 'better-sqlite3';
import type { AttentionMark } from '#protocol/attention.ts';
import { limits } from '#protocol/limits.ts';
import type { AsyncUnits } from '../../storage/units.ts';

export function attentionUnits(db: Database.Database) {
  const present = db.prepare<[string, number], AttentionMark>(
    'SELECT item, at, until FROM attention_mark WHERE member = ? AND (until IS NULL OR until > ?) ORDER BY at, item',
  );
  const put = db.prepare<[string, string, number, number | null]>(
    `INSERT INTO attention_mark (member, item, at, until) VALUES (?, ?, ?, ?)
     ON CONFLICT (member, item) DO UPDATE SET at = excluded.at, until = excluded.until`,
  );
  const drop = db.prepare<[string, string]>('DELETE FROM attention_mark WHERE member = ? AND item = ?');
  const dropOver = db.prepare<[string, number]>('DELETE FROM attention_mark WHERE member = ? AND until <= ?');
  const dropOldest = db.prepare<[string, string, number]>(
    `DELETE FROM attention_mark WHERE member = ? AND item IN
       (SELECT item FROM attention_mark WHERE member = ? ORDER BY at DESC, item DESC LIMIT -1 OFFSET ?)`,
  );
  return {
    reads: {
      attentionMarks: (input: { member: string; now: number }): AttentionMark[] =>
        present.all(input.member, input.now),
    },
    writes: {
      /** Keeps the newest marks of a member only. */
      markAttention: (input: { member: string; item: string; at: number; until: number | null }): void => {
        const { member, item, at, until } = input;
        put.run(member, item, at, until);
        dropOver.run(member, at);
        dropOldest.run(member, member, limits.attention.marks);
      },
      unmarkAttention: (input: { member: string; item: string }): void => {
        drop.run(input.member, input.item);
      },
    },
  };
}
export type AttentionUnits = AsyncUnits<typeof attentionUnits>;
