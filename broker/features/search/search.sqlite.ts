/** The full-text index in the main store, and pages of search results (specification/search.md#index). */
import type Database from 'better-sqlite3';
import { mentionsIn } from '#protocol/mentions.ts';
import type { SearchReply, SearchResult } from '#protocol/search.ts';
import type { Reader } from '../../runtime/actor.ts';
import type { AsyncUnits } from '../../storage/units.ts';
import { scopeAccess } from '../scopes/scope-access.sqlite.ts';
import { objectiveKeySql, parseScopeKey, scopeNameOf } from '../scopes/scope-key.ts';
import { matchExpression, type Phrase, snippetOf } from './search.rules.ts';

export interface SearchRequest {
  reader: Reader;
  phrases: Phrase[];
  /** The stored key of the scope to search; null for all. */
  scope: string | null;
  from: string | null;
  /** Below these positions; null for the newest. */
  before: { message: number; objective: number } | null;
  limit: number;
}

export interface IndexTurn {
  /** Who can be mentioned no more, and then who can be mentioned, since the turn before. */
  left: readonly string[];
  joined: readonly string[];
  /** The most messages, and the most objectives. */
  limit: number;
  /** The most characters of each, unless the first one alone has more. */
  characters: number;
}

interface Found {
  place: number;
  id: string;
  scope: string;
  ts: number;
  sender: string;
  text: string;
}

/** A search that finds much that it may not show ends its page here and continues with the next one. */
const maxExamined = 5000;
const messageColumns = ['title', 'body'];
const objectiveColumns = ['title', 'outcome', 'body'];

/** Returns the first entries whose sizes add up to at most `max`, and at least one. */
function within<T>(max: number, entries: readonly T[], sizeOf: (entry: T) => number): readonly T[] {
  let sum = 0;
  const end = entries.findIndex((entry, at) => {
    sum += sizeOf(entry);
    return at > 0 && sum > max;
  });
  return end === -1 ? entries : entries.slice(0, end);
}

export function searchUnits(db: Database.Database) {
  const progress = db.prepare<[string], number>('SELECT up_to FROM index_progress WHERE what = ?').pluck();
  const setProgress = db.prepare<[number, string]>('UPDATE index_progress SET up_to = ? WHERE what = ?');
  const newMessages = db.prepare<
    [number, number],
    { seq: number; title: string | null; body: string; scope: string; sender: string }
  >('SELECT seq, title, body, scope, sender FROM message WHERE seq > ? ORDER BY seq LIMIT ?');
  const newObjectives = db.prepare<
    [number, number],
    { num: number; title: string; outcome: string; body: string; originator: string }
  >('SELECT num, title, outcome, body, originator FROM objective WHERE num > ? ORDER BY num LIMIT ?');
  const addMessage = db.prepare<[number, string | null, string, string, string]>(
    'INSERT INTO message_text (rowid, title, body, scope, sender) VALUES (?, ?, ?, ?, ?)',
  );
  const addObjective = db.prepare<[number, string, string, string, string]>(
    'INSERT INTO objective_text (rowid, title, outcome, body, originator) VALUES (?, ?, ?, ?, ?)',
  );
  const addMention = db.prepare<[string, string, number]>(
    'INSERT INTO mention (member, scope, seq) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const messageMatches = db.prepare<[string, number], Found>(
    `SELECT seq AS place, id, message.scope, ts, message.sender,
       CASE WHEN message.title IS NULL THEN message.body ELSE message.title || ' — ' || message.body END AS text
     FROM message_text JOIN message ON seq = message_text.rowid
     WHERE message_text MATCH ? AND message_text.rowid < ? ORDER BY message_text.rowid DESC`,
  );
  const objectiveMatches = db.prepare<[string, number], Found>(
    `SELECT num AS place, id, ${objectiveKeySql('id')} AS scope, created_at AS ts, objective.originator AS sender,
       objective.title || ' — ' || objective.outcome || ' ' || objective.body AS text
     FROM objective_text JOIN objective ON num = objective_text.rowid
     WHERE objective_text MATCH ? AND objective_text.rowid < ? ORDER BY objective_text.rowid DESC`,
  );
  const scopes = scopeAccess(db);
  const names = new Set<string>();

  function indexMessages({ left, joined, limit, characters }: IndexTurn): {
    isComplete: boolean;
    upTo: number;
  } {
    for (const name of left) names.delete(name);
    for (const name of joined) names.add(name);
    const next = newMessages.all(progress.get('message') ?? 0, limit);
    const found = within(characters, next, ({ title, body }) => (title?.length ?? 0) + body.length);
    for (const { seq, title, body, scope, sender } of found) {
      addMessage.run(seq, title, body, scope, sender);
      for (const name of mentionsIn(title === null ? body : `${title}\n${body}`)) {
        if (names.has(name) && name !== sender) addMention.run(name, scope, seq);
      }
    }
    const upTo = found.at(-1)?.seq;
    if (upTo !== undefined) setProgress.run(upTo, 'message');
    return {
      isComplete: found.length < limit && found.length === next.length,
      upTo: upTo ?? progress.get('message') ?? 0,
    };
  }

  /** Returns whether nothing is left. */
  function indexObjectives({ limit, characters }: IndexTurn): boolean {
    const next = newObjectives.all(progress.get('objective') ?? 0, limit);
    const found = within(
      characters,
      next,
      ({ title, outcome, body }) => title.length + outcome.length + body.length,
    );
    for (const { num, title, outcome, body, originator } of found)
      addObjective.run(num, title, outcome, body, originator);
    const upTo = found.at(-1)?.num;
    if (upTo !== undefined) setProgress.run(upTo, 'objective');
    return found.length < limit && found.length === next.length;
  }

  function searchPage(request: SearchRequest): SearchReply {
    const { reader, phrases, scope, from, before, limit } = request;
    const isReadable = scopes.readableBy(reader);
    const end = Number.MAX_SAFE_INTEGER;
    const place = { message: before?.message ?? end, objective: before?.objective ?? end };
    const within = { scope: scope ?? undefined, sender: from ?? undefined };
    const messages = messageMatches.iterate(matchExpression(messageColumns, phrases, within), place.message);
    // An objective is itself not part of a conversation: it appears in a search of everything, or of its own
    // thread.
    const objectives =
      scope === null || parseScopeKey(scope).kind === 'objective'
        ? objectiveMatches.iterate(
            matchExpression(objectiveColumns, phrases, { originator: from ?? undefined }),
            place.objective,
          )
        : [].values();
    const results: SearchResult[] = [];
    const cursor = (): string => `${place.message}-${place.objective}`;
    /**
     * Where the next page begins once this one is full. There is a next one only if the reader may see
     * something on it.
     */
    let full: string | null = null;
    let examined = 0;
    try {
      let message = messages.next();
      let objective = objectives.next();
      while (!(message.done && objective.done)) {
        if (examined === maxExamined) return { results, next: full ?? cursor() };
        examined += 1;
        const isMessage =
          !message.done && (objective.done || (message.value as Found).ts > (objective.value as Found).ts);
        const kind = isMessage ? 'message' : 'objective';
        const found = (isMessage ? message.value : objective.value) as Found;
        place[kind] = found.place;
        const isWanted =
          (scope === null || found.scope === scope) &&
          (from === null || found.sender === from) &&
          (kind === 'objective' || isReadable(found.scope));
        if (isWanted && full !== null) return { results, next: full };
        if (isWanted) {
          const { id, ts, sender } = found;
          const shown = snippetOf(found.text, phrases);
          results.push({
            kind,
            id,
            scope: scopeNameOf(found.scope, reader.name),
            ts,
            from: sender,
            ...shown,
          });
          if (results.length === limit) full = cursor();
        }
        if (isMessage) message = messages.next();
        else objective = objectives.next();
      }
      return { results, next: null };
    } finally {
      messages.return?.();
      objectives.return?.();
    }
  }

  return {
    reads: { searchPage },
    writes: {
      /**
       * Indexes what follows the last indexed entries. `upTo` is a message's position; `isComplete` if nothing
       * is left.
       */
      fillIndex: (turn: IndexTurn): { upTo: number; isComplete: boolean } => {
        const messages = indexMessages(turn);
        const areObjectivesComplete = indexObjectives(turn);
        return { upTo: messages.upTo, isComplete: messages.isComplete && areObjectivesComplete };
      },
    },
  };
}
export type SearchUnits = AsyncUnits<typeof searchUnits>;
