/** Search (specification/search.md). */
import { isRefusedFor, refuse } from '#protocol/errors.ts';
import type { MemberName } from '#protocol/ids.ts';
import { limits } from '#protocol/limits.ts';
import type { SearchQuery, SearchReply } from '#protocol/search.ts';
import type { Members } from '../members/members.service.ts';
import { keyOfScopeName } from '../scopes/scope-key.ts';
import type { Indexer } from './indexer.service.ts';
import { phrasesOf } from './search.rules.ts';
import type { SearchRequest, SearchUnits } from './search.sqlite.ts';

export interface Search {
  /** Returns only what the reader may read at this moment. @throws BrokerError bad_request without a word. */
  search(reader: MemberName, query: SearchQuery): Promise<SearchReply>;
}

export interface SearchDeps {
  units: Pick<SearchUnits, 'searchPage'>;
  members: Pick<Members, 'readerOf'>;
  indexer: Pick<Indexer, 'caughtUp' | 'noteDamage'>;
  /** Returns the elapsed ms. */
  stopwatch?: () => number;
}

/** A step ends with the next block of the index after so many ms; the store reads for others between two of them. */
const stepMs = 1;

function cursorOf(before: string): { message: number; objective: number } {
  const [message = 0, objective = 0] = before.split('-').map(Number);
  return { message, objective };
}

export function createSearch({
  units,
  members,
  indexer,
  stopwatch = () => performance.now(),
}: SearchDeps): Search {
  async function pageOf(request: SearchRequest): Promise<SearchReply> {
    try {
      return await units.searchPage(request);
    } catch (error) {
      if (!isRefusedFor(error, 'store_damaged')) throw error;
      await indexer.noteDamage();
      return refuse('search_damaged');
    }
  }

  return {
    async search(name, query) {
      const phrases = phrasesOf(query.q);
      await indexer.caughtUp();
      const overAt = stopwatch() + limits.search.budgetMs;
      const found: SearchReply = { results: [], next: query.before ?? null };
      do {
        const page = await pageOf({
          reader: members.readerOf(name),
          phrases,
          scope: query.in === undefined ? null : keyOfScopeName(query.in, name),
          from: query.from ?? null,
          before: found.next === null ? null : cursorOf(found.next),
          limit: query.limit - found.results.length,
          budgetMs: stepMs,
        });
        found.results.push(...page.results);
        found.next = page.next;
        if (page.indexing) found.indexing = true;
      } while (found.next !== null && found.results.length < query.limit && stopwatch() < overAt);
      return found;
    },
  };
}
