/** Pages of search results (specification/search.md). */
import type Database from 'better-sqlite3';
import { whenNeeded } from '#platform/when-needed.ts';
import { refuse } from '#protocol/errors.ts';
import type { SearchReply, SearchResult } from '#protocol/search.ts';
import type { Reader } from '../../runtime/actor.ts';
import type { AsyncUnits } from '../../storage/units.ts';
import { scopeAccess } from '../scopes/scope-access.sqlite.ts';
import { objectiveKeySql, parseScopeKey, scopeNameOf } from '../scopes/scope-key.ts';
import { indexDamage } from './index-marks.rules.ts';
import { messageMatches } from './message-matches.sqlite.ts';
import { holdsAll, matchExpression, type Phrase, snippetOf } from './search.rules.ts';

export interface SearchRequest {
  reader: Reader;
  phrases: Phrase[];
  /** The stored key of the scope to search; null for all. */
  scope: string | null;
  from: string | null;
  /** Below these positions; null for the newest. */
  before: Place | null;
  limit: number;
  /** After so many ms, the page ends with the next step or block of the index. It also ends after long texts. */
  budgetMs: number;
}

type Kind = SearchResult['kind'];
/** Below these positions nothing was looked at yet. */
type Place = Record<Kind, number>;

interface Found {
  place: number;
  id: string;
  scope: string;
  ts: number;
  sender: string;
}

/** To show a text takes time by its length, and the store reads for others between two pages. */
const maxShownCharacters = 131_072;
/**
 * A page that took its time ends at a multiple of so many positions. If it ended after a number of matches, its end would
 * tell whether there are matches that the reader may not see.
 */
const stepPositions = 2048;
const objectiveColumns = ['title', 'outcome', 'body'];

export function searchUnits(db: Database.Database) {
  const messageAt = db.prepare<[number], Found>(
    'SELECT seq AS place, id, scope, ts, sender FROM message WHERE seq = ?',
  );
  const objectiveMatches = whenNeeded(() =>
    db.prepare<[string, number], Found>(
      `SELECT num AS place, id, ${objectiveKeySql('id')} AS scope, created_at AS ts, objective.originator AS sender
     FROM objective_text JOIN objective ON num = objective_text.rowid
     WHERE objective_text MATCH ? AND objective_text.rowid < ? ORDER BY objective_text.rowid DESC`,
    ),
  );
  const isIndexedAgain = db
    .prepare<[], 0 | 1>("SELECT up_to > 0 FROM index_progress WHERE what = 'message_again'")
    .pluck();
  const isDamaged = db
    .prepare<[], 0 | 1>(`SELECT EXISTS (SELECT 1 FROM index_progress WHERE what = '${indexDamage}')`)
    .pluck();
  const textOf = {
    message: db
      .prepare<[number], string>("SELECT coalesce(title || ' — ', '') || body FROM message WHERE seq = ?")
      .pluck(),
    objective: db
      .prepare<[number], string>(
        "SELECT title || ' — ' || outcome || ' ' || body FROM objective WHERE num = ?",
      )
      .pluck(),
  };
  const matches = messageMatches(db);
  const scopes = scopeAccess(db);

  /** An objective is itself not part of a conversation: it appears in a search of everything, or of its own thread. */
  const objectivesOf = ({ phrases, scope, from }: SearchRequest, before: number): Iterator<Found> =>
    scope === null || parseScopeKey(scope).kind === 'objective'
      ? objectiveMatches().iterate(
          matchExpression(objectiveColumns, phrases, { originator: from ?? undefined }),
          before,
        )
      : [].values();

  /** Moves `place` down. Yields null where the search may stop for now. */
  function* newestFirst(request: SearchRequest, place: Place): Generator<(Found & { kind: Kind }) | null> {
    const objectives = objectivesOf(request, place.objective);
    try {
      let objective = objectives.next();
      for (const step of matches.newestFirst({ ...request, before: place.message })) {
        const message = step.kind === 'match' ? messageAt.get(step.place) : undefined;
        for (; message && !objective.done && objective.value.ts >= message.ts; objective = objectives.next())
          yield { kind: 'objective', ...objective.value };
        place.message = step.place;
        if (step.kind === 'pause') yield null;
        else if (message !== undefined) yield { kind: 'message', ...message };
      }
      for (; !objective.done; objective = objectives.next()) yield { kind: 'objective', ...objective.value };
    } finally {
      objectives.return?.();
    }
  }

  function pageOf(request: SearchRequest): SearchReply {
    const { reader, phrases, scope, from, before, limit, budgetMs } = request;
    const isReadable = scopes.readableBy(reader);
    // A cursor would tell that there is such a channel, and how much was posted in it.
    if (scope !== null && parseScopeKey(scope).kind === 'channel' && !isReadable(scope))
      return { results: [], next: null };
    const end = Number.MAX_SAFE_INTEGER;
    const place: Place = { message: before?.message ?? end, objective: before?.objective ?? end };
    const startedAt = performance.now();
    const results: SearchResult[] = [];
    const isOver = (): boolean => performance.now() - startedAt >= budgetMs;
    const cursor = (message = place.message): string => `${message}-${place.objective}`;
    /**
     * The place at which the next page begins once this one is full. There is a next one if the reader may see something
     * on it, or if the time is over.
     */
    let full: string | null = null;
    let step = 0;
    let shownCharacters = 0;
    for (const found of newestFirst(request, place)) {
      if (found === null) {
        if (!isOver()) continue;
        return { results, next: full ?? cursor() };
      }
      const { kind, id, ts, sender } = found;
      if (kind === 'message') {
        const stepHere = Math.floor(found.place / stepPositions);
        if (stepHere < step && isOver()) return { results, next: full ?? cursor(step * stepPositions) };
        step = stepHere;
      }
      place[kind] = found.place;
      const isWanted =
        (scope === null || found.scope === scope) &&
        (from === null || sender === from) &&
        (kind === 'objective' || isReadable(found.scope));
      const text = isWanted ? (textOf[kind].get(found.place) ?? '') : '';
      shownCharacters += text.length;
      if (isWanted && holdsAll(text, phrases)) {
        if (full !== null) return { results, next: full };
        const shown = snippetOf(text, phrases);
        results.push({ kind, id, scope: scopeNameOf(found.scope, reader.name), ts, from: sender, ...shown });
        if (results.length === limit) full = cursor();
      }
      if (shownCharacters >= maxShownCharacters) return { results, next: full ?? cursor() };
    }
    // As if there were another match, which the reader might not see.
    return { results, next: step > 0 && isOver() ? (full ?? cursor(step * stepPositions)) : null };
  }

  return {
    reads: {},
    longReads: {
      searchPage: (request: SearchRequest): SearchReply => {
        if (isDamaged.get() === 1) refuse('search_damaged');
        return { ...pageOf(request), ...(isIndexedAgain.get() === 1 && { indexing: true }) };
      },
    },
    writes: {},
  };
}
export type SearchUnits = AsyncUnits<typeof searchUnits>;
