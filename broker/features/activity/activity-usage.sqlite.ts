/**
 * Sums of what exchanges used, per member, day in UTC, and model. They are kept with the rows that they
 * summarize, and longer (ADR 0010).
 */
import type Database from 'better-sqlite3';
import { limits } from '#protocol/limits.ts';
import { startOfDay } from './usage-days.rules.ts';

const { models: modelsMax, modelCharacters } = limits.activity.usage;

export interface Exchange {
  ts: number;
  model: string | null;
  /** Null, and null counts: the model did not report them. */
  usage: {
    inputTokens: number | null;
    outputTokens: number | null;
    cacheReadInputTokens: number | null;
    cacheCreationInputTokens: number | null;
  } | null;
}

/** `model` is '' if there is none. */
interface Sum {
  day: number;
  model: string;
  exchanges: number;
  input: number;
  output: number;
  cacheRead: number;
  cacheCreation: number;
}

/** Keeps sums within the numbers that JSON carries exactly, whatever an uploader claims. */
const plus = (sum: number, count: number | null | undefined): number =>
  Math.min(Number.MAX_SAFE_INTEGER, sum + (count ?? 0));

function sumsOf(exchanges: readonly Exchange[]): Sum[] {
  const sumByKey = new Map<string, Sum>();
  for (const { ts, model: named, usage } of exchanges) {
    const day = startOfDay(ts);
    const model =
      named === null
        ? ''
        : Array.from(named.slice(0, 2 * modelCharacters))
            .slice(0, modelCharacters)
            .join('');
    const key = `${day} ${model}`;
    const sum = sumByKey.get(key) ?? {
      day,
      model,
      exchanges: 0,
      input: 0,
      output: 0,
      cacheRead: 0,
      cacheCreation: 0,
    };
    sumByKey.set(key, {
      day,
      model,
      exchanges: sum.exchanges + 1,
      input: plus(sum.input, usage?.inputTokens),
      output: plus(sum.output, usage?.outputTokens),
      cacheRead: plus(sum.cacheRead, usage?.cacheReadInputTokens),
      cacheCreation: plus(sum.cacheCreation, usage?.cacheCreationInputTokens),
    });
  }
  return [...sumByKey.values()];
}

/** Called by the unit that stores the exchanges, inside its transaction. */
export function addUsage(db: Database.Database): (member: string, exchanges: readonly Exchange[]) => void {
  const modelsOf = db.prepare<[string, number], { model: string }>(
    "SELECT model FROM usage WHERE member = ? AND day = ? AND model > ''",
  );
  const top = Number.MAX_SAFE_INTEGER;
  const add = db.prepare<Sum & { member: string }>(
    `INSERT INTO usage (member, day, model, exchanges, input, output, cache_read, cache_creation)
     VALUES (:member, :day, :model, :exchanges, :input, :output, :cacheRead, :cacheCreation)
     ON CONFLICT (member, day, model) DO UPDATE SET
       exchanges = exchanges + excluded.exchanges,
       input = min(input + excluded.input, ${top}),
       output = min(output + excluded.output, ${top}),
       cache_read = min(cache_read + excluded.cache_read, ${top}),
       cache_creation = min(cache_creation + excluded.cache_creation, ${top})`,
  );
  return (member, exchanges) => {
    for (const sum of sumsOf(exchanges)) {
      const known = modelsOf.all(member, sum.day).map(({ model }) => model);
      const isOneTooMany = known.length >= modelsMax && !known.includes(sum.model);
      add.run({ ...sum, member, model: isOneTooMany ? '' : sum.model });
    }
  };
}

/** One row of the answer, with the operation's names. */
interface UsageRow {
  member: string;
  day: number;
  model: string | null;
  exchanges: number;
  inputTokens: number;
  outputTokens: number;
  cacheReadInputTokens: number;
  cacheCreationInputTokens: number;
}

export function usageReads(db: Database.Database) {
  const columns = `member, day, nullif(model, '') AS model, exchanges, input AS inputTokens, output AS outputTokens,
    cache_read AS cacheReadInputTokens, cache_creation AS cacheCreationInputTokens`;
  const ofAll = db.prepare<{ first: number; last: number }, UsageRow>(
    `SELECT ${columns} FROM usage WHERE day BETWEEN :first AND :last ORDER BY day, member, usage.model`,
  );
  const ofOne = db.prepare<{ first: number; last: number; member: string }, UsageRow>(
    `SELECT ${columns} FROM usage WHERE member = :member AND day BETWEEN :first AND :last ORDER BY day, usage.model`,
  );
  return {
    /** Oldest day first; both ends are inclusive starts of days. `member`: null for all. */
    usagePerDay: ({
      first,
      last,
      member,
    }: {
      first: number;
      last: number;
      member: string | null;
    }): UsageRow[] => (member === null ? ofAll.all({ first, last }) : ofOne.all({ first, last, member })),
  };
}
