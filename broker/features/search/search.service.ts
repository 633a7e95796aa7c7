/** Search (specification/search.md). */
import type { MemberName } from '#protocol/ids.ts';
import { limits } from '#protocol/limits.ts';
import type { SearchQuery, SearchReply } from '#protocol/search.ts';
import type { Members } from '../members/members.service.ts';
import { keyOfScopeName } from '../scopes/scope-key.ts';
import type { Indexer } from './indexer.service.ts';
import { phrasesOf } from './search.rules.ts';
import type { SearchUnits } from './search.sqlite.ts';

export interface Search {
  /** Returns only what the reader may read at this moment. @throws BrokerError bad_request without a word. */
  search(reader: MemberName, query: SearchQuery): Promise<SearchReply>;
}

export interface SearchDeps {
  units: Pick<SearchUnits, 'searchPage'>;
  members: Members;
  indexer: Indexer;
}

function cursorOf(before: string): { message: number; objective: number } {
  const [message = 0, objective = 0] = before.split('-').map(Number);
  return { message, objective };
}

export function createSearch({ units, members, indexer }: SearchDeps): Search {
  return {
    async search(name, query) {
      const phrases = phrasesOf(query.q);
      await indexer.caughtUp();
      return units.searchPage({
        reader: members.readerOf(name),
        phrases,
        scope: query.in === undefined ? null : keyOfScopeName(query.in, name),
        from: query.from ?? null,
        before: query.before === undefined ? null : cursorOf(query.before),
        limit: query.limit,
        budgetMs: limits.search.budgetMs,
      });
    },
  };
}
