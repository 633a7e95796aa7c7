/** Fills the full-text index in the main store (specification/search.md#index). */
import type Database from 'better-sqlite3';
import { whenNeeded } from '#platform/when-needed.ts';
import { mentionsOf } from '#protocol/mentions.ts';
import type { AsyncUnits } from '../../storage/units.ts';
import { type IndexedMessage, indexDamage, indexedWords } from './index-marks.rules.ts';
import { searchableText } from './search-words.rules.ts';

export interface IndexTurn {
  /** The members who can no longer be mentioned, and then those who now can, since the turn before. */
  left: readonly string[];
  joined: readonly string[];
  /** The most messages, and the most objectives. */
  limit: number;
  /** The most characters of each, unless the first one alone has more. */
  characters: number;
}

export interface Indexed {
  /** A message's position. */
  upTo: number;
  /** Nothing new is left. */
  isComplete: boolean;
  /** No new objective is left. */
  hasAllObjectives: boolean;
  /** Older messages are left that an earlier version had indexed. */
  hasOlder: boolean;
  /** The full-text index is known to be damaged: nothing is added to it, only mentions are found. */
  isDamaged: boolean;
}

/** Returns the first entries whose sizes add up to at most `max`, and at least one. */
function within<T>(max: number, entries: readonly T[], sizeOf: (entry: T) => number): readonly T[] {
  let sum = 0;
  const end = entries.findIndex((entry, at) => {
    sum += sizeOf(entry);
    return at > 0 && sum > max;
  });
  return end === -1 ? entries : entries.slice(0, end);
}

const charactersOf = ({ title, body }: IndexedMessage): number => (title?.length ?? 0) + body.length;

export function indexUnits(db: Database.Database) {
  const progress = db.prepare<[string], number>('SELECT up_to FROM index_progress WHERE what = ?').pluck();
  const setProgress = db.prepare<[number, string]>('UPDATE index_progress SET up_to = ? WHERE what = ?');
  const newMessages = db.prepare<[number, number], IndexedMessage>(
    'SELECT seq, title, body, scope, sender FROM message WHERE seq > ? ORDER BY seq LIMIT ?',
  );
  const olderMessages = db.prepare<[number, number], IndexedMessage>(
    'SELECT seq, title, body, scope, sender FROM message WHERE seq <= ? ORDER BY seq DESC LIMIT ?',
  );
  const newObjectives = db.prepare<
    [number, number],
    { num: number; title: string; outcome: string; body: string; originator: string }
  >('SELECT num, title, outcome, body, originator FROM objective WHERE num > ? ORDER BY num LIMIT ?');
  // A full-text index whose settings are damaged cannot be named in a statement. The rest of the store works.
  const addMessage = whenNeeded(() =>
    db.prepare<[number, string]>('INSERT INTO message_words (rowid, words) VALUES (?, ?)'),
  );
  const addObjective = whenNeeded(() =>
    db.prepare<[number, string, string, string, string]>(
      'INSERT INTO objective_text (rowid, title, outcome, body, originator) VALUES (?, ?, ?, ?, ?)',
    ),
  );
  // A runner may report evidence for a message before it is indexed.
  const addMention = db.prepare<{ member: string; scope: string; seq: number }>(
    `INSERT INTO mention (member, scope, seq, taken)
     VALUES (:member, :scope, :seq, EXISTS (SELECT 1 FROM evidence WHERE seq = :seq AND member = :member))
     ON CONFLICT DO NOTHING`,
  );
  /** By their lower case. */
  const names = new Map<string, string>();

  const setDamaged = db.prepare<[string]>('INSERT OR IGNORE INTO index_progress (what, up_to) VALUES (?, 1)');
  let isDamaged = false;

  function addWords(message: IndexedMessage): void {
    if (!isDamaged) addMessage().run(message.seq, indexedWords(message));
  }

  function indexMessages({ left, joined, limit, characters }: IndexTurn): {
    isComplete: boolean;
    upTo: number;
  } {
    for (const name of left) names.delete(name.toLowerCase());
    for (const name of joined) names.set(name.toLowerCase(), name);
    const next = newMessages.all(progress.get('message') ?? 0, limit);
    const found = within(characters, next, charactersOf);
    for (const message of found) {
      addWords(message);
      const { seq, scope, sender } = message;
      for (const name of mentionsOf(message).keys()) {
        const member = names.get(name);
        if (member !== undefined && member !== sender) addMention.run({ member, scope, seq });
      }
    }
    const upTo = found.at(-1)?.seq;
    if (upTo !== undefined) setProgress.run(upTo, 'message');
    return {
      isComplete: found.length < limit && found.length === next.length,
      upTo: upTo ?? progress.get('message') ?? 0,
    };
  }

  /** Their mentions are known. Returns whether something is left. */
  function indexAgain({ limit, characters }: IndexTurn): boolean {
    const upTo = progress.get('message_again') ?? 0;
    if (upTo === 0 || isDamaged) return false;
    const next = olderMessages.all(upTo, limit);
    const found = within(characters, next, charactersOf);
    // In the order of positions, which the index writes in one piece.
    for (const message of found.toReversed()) addWords(message);
    const oldest = found.at(-1)?.seq;
    const isLast = oldest === undefined || (found.length < limit && found.length === next.length);
    setProgress.run(isLast ? 0 : oldest - 1, 'message_again');
    return !isLast;
  }

  /** Returns whether nothing is left. */
  function indexObjectives({ limit, characters }: IndexTurn): boolean {
    if (isDamaged) return true;
    const next = newObjectives.all(progress.get('objective') ?? 0, limit);
    const found = within(
      characters,
      next,
      ({ title, outcome, body }) => title.length + outcome.length + body.length,
    );
    for (const { num, title, outcome, body, originator } of found)
      addObjective().run(
        num,
        searchableText(title),
        searchableText(outcome),
        searchableText(body),
        originator,
      );
    const upTo = found.at(-1)?.num;
    if (upTo !== undefined) setProgress.run(upTo, 'objective');
    return found.length < limit && found.length === next.length;
  }

  return {
    reads: {},
    writes: {
      /** Indexes what follows the last indexed entries; once nothing is new, what precedes the first ones. */
      fillIndex: (turn: IndexTurn): Indexed => {
        isDamaged = progress.get(indexDamage) === 1;
        const messages = indexMessages(turn);
        const hasAllObjectives = indexObjectives(turn);
        const isComplete = hasAllObjectives && messages.isComplete;
        const hasOlder = isComplete
          ? indexAgain(turn)
          : !isDamaged && (progress.get('message_again') ?? 0) > 0;
        return { upTo: messages.upTo, isComplete, hasAllObjectives, hasOlder, isDamaged };
      },
      /** Leaves the full-text index alone from now on, until it is rebuilt. */
      noteIndexDamage: (): void => void setDamaged.run(indexDamage),
    },
  };
}
export type IndexUnits = AsyncUnits<typeof indexUnits>;
