/** Reads activity in short, of one member or of the team, newest first (specification/activity.md#summaries). */
import type Database from 'better-sqlite3';
import type { ActivitySummary, ActivityTurn } from '#protocol/activity-summary.ts';
import { limits } from '#protocol/limits.ts';
import type { AsyncUnits } from '../../storage/units.ts';
import { type FramesPage, framesOf } from './activity-pages.ts';
import { type RangeInput, rangeIds } from './activity-range.sqlite.ts';
import { type SummarizedRow, summaryOf } from './activity-summary.ts';
import { turnOf } from './activity-turn.ts';

export interface TeamActivityInput {
  /** Null for everybody. */
  member: string | null;
  kinds: readonly string[];
  isFailed: boolean;
  /** Only rows before this id. */
  before: number;
  limit: number;
}

/** The results for the first rows of a read, and the ids of the others. */
export interface Piece<Item> {
  items: Item[];
  /** Characters of the items as JSON. */
  size: number;
  rest: number[];
}

interface Step {
  member: string | null;
  kind: string;
  before: number;
  limit: number;
}

/** The upper bound for the parsed part of a row, in characters. */
const lengthOf = ({ event, last }: SummarizedRow): number => event.length + (last?.length ?? 0);

export function activitySummaryUnits(db: Database.Database) {
  const { summaryFrames, pageBytes } = limits.activity;
  const columns = `a.id, a.member, a.created_at AS createdAt, a.ts, a.kind, a.failed, a.event, p.text AS last
     FROM activity a LEFT JOIN split_request r ON r.id = a.id LEFT JOIN piece p ON p.id = r.messages`;
  const byId = db.prepare<[number], SummarizedRow>(`SELECT ${columns} WHERE a.id = ?`);
  const after = db.prepare<[number, number], SummarizedRow>(
    `SELECT ${columns} WHERE a.id > ? ORDER BY a.id LIMIT ?`,
  );
  const afterOf = db.prepare<[string, number, number], SummarizedRow>(
    `SELECT ${columns} WHERE a.member = ? AND a.id > ? ORDER BY a.id LIMIT ?`,
  );
  const idsWhere = (condition: string) =>
    db
      .prepare<Step, number>(
        `SELECT id FROM activity WHERE ${condition} AND kind = :kind AND id < :before ORDER BY id DESC LIMIT :limit`,
      )
      .pluck();
  const ofTeam = { any: idsWhere('1'), failed: idsWhere('failed = 1') };
  const ofMember = { any: idsWhere('member = :member'), failed: idsWhere('failed = 1 AND member = :member') };
  const idsInRange = rangeIds(db);

  /** Each kind has its own run of an index. */
  function idsOf({ member, kinds, isFailed, before, limit }: TeamActivityInput): number[] {
    const statement = (member === null ? ofTeam : ofMember)[isFailed ? 'failed' : 'any'];
    return kinds
      .flatMap((kind) => statement.all({ member, kind, before, limit }))
      .sort((a, b) => b - a)
      .slice(0, limit);
  }

  /**
   * Parses rows until their texts are a page, at least one row, because everybody else who reads activity waits for it.
   * Rows that were removed meanwhile are left out.
   */
  function pieceOf<Item>(ids: readonly number[], make: (row: SummarizedRow) => Item): Piece<Item> {
    const items: Item[] = [];
    let size = 0;
    let parsed = 0;
    let taken = 0;
    for (const id of ids) {
      taken += 1;
      const row = byId.get(id);
      if (row === undefined) continue;
      const item = make(row);
      items.push(item);
      size += JSON.stringify(item).length;
      parsed += lengthOf(row);
      if (parsed >= pageBytes) break;
    }
    return { items, size, rest: ids.slice(taken) };
  }

  return {
    reads: {
      /** Returns the first piece. */
      teamActivity: (input: TeamActivityInput): Piece<ActivitySummary> => pieceOf(idsOf(input), summaryOf),
      /** Returns the first piece. */
      memberSummaries: (input: RangeInput): Piece<ActivitySummary> => pieceOf(idsInRange(input), summaryOf),
      /** Returns the next piece. */
      summariesOfRows: (input: { ids: readonly number[] }): Piece<ActivitySummary> =>
        pieceOf(input.ids, summaryOf),
      /** Returns the first piece of the exchanges of a member, newest first, and whether there are no older ones. */
      activityTurns: (input: {
        member: string;
        before: number;
        limit: number;
      }): Piece<ActivityTurn> & { isEnd: boolean } => {
        const ids = ofMember.any.all({ ...input, kind: 'llm_exchange' });
        return { ...pieceOf(ids, turnOf), isEnd: ids.length < input.limit };
      },
      /** Returns the next piece. */
      turnsOfRows: (input: { ids: readonly number[] }): Piece<ActivityTurn> => pieceOf(input.ids, turnOf),
      /** Returns what was stored after an id, oldest first, as frames of summaries; of everybody if `member` is null. */
      summaryFrames: (input: { member: string | null; after: number }): FramesPage => {
        const { member, after: from } = input;
        const rows =
          member === null ? after.iterate(from, summaryFrames) : afterOf.iterate(member, from, summaryFrames);
        const found: { id: number; data: Buffer }[] = [];
        let parsed = 0;
        for (const row of rows) {
          found.push({ id: row.id, data: Buffer.from(JSON.stringify(summaryOf(row))) });
          parsed += lengthOf(row);
          if (parsed >= pageBytes) break;
        }
        return framesOf(found, 'summary', parsed < pageBytes && found.length < summaryFrames);
      },
    },
    writes: {},
  };
}
export type ActivitySummaryUnits = AsyncUnits<typeof activitySummaryUnits>;
