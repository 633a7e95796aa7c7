/** The evidence that runners reported, and replies gave: the strongest per message and member. */
import type Database from 'better-sqlite3';
import type { Evidence } from '#protocol/receipt.ts';
import { isStronger } from './receipts.rules.ts';

export function evidenceRows(db: Database.Database) {
  const find = db.prepare<[number, string], { state: Evidence; at: number }>(
    'SELECT state, at FROM evidence WHERE seq = ? AND member = ?',
  );
  const set = db.prepare<[number, string, Evidence, number]>(
    'INSERT OR REPLACE INTO evidence (seq, member, state, at) VALUES (?, ?, ?, ?)',
  );
  const takeAddressed = db.prepare<[string, number]>(
    'UPDATE addressed SET taken = 1 WHERE member = ? AND seq = ?',
  );
  const takeMention = db.prepare<[string, string, number]>(
    'UPDATE mention SET taken = 1 WHERE member = ? AND scope = ? AND seq = ?',
  );
  return {
    of: (seq: number, member: string) => find.get(seq, member) ?? null,
    /** Returns false if the known evidence is as strong. */
    keep(
      { seq, scope }: { seq: number; scope: string },
      member: string,
      state: Evidence,
      at: number,
    ): boolean {
      const held = find.get(seq, member);
      if (held !== undefined && !isStronger(state, held.state)) return false;
      set.run(seq, member, state, at);
      takeAddressed.run(member, seq);
      takeMention.run(member, scope, seq);
      return true;
    },
  };
}
