/** Search in messages and objectives (specification/search.md). */
import { z } from 'zod';
import { MemberName, queryInteger, Timestamp } from './ids.ts';
import { limits } from './limits.ts';
import { ScopeName } from './scope-name.ts';
import { text } from './text.ts';

/** The place where the next page begins: below these positions in the orders of messages and of objectives. */
export const SearchCursor = z
  .string()
  .regex(/^\d{1,16}-\d{1,16}$/, 'must be the value of next in an earlier response');

export const SearchQuery = z.object({
  q: text(1, limits.search.query),
  in: ScopeName.optional(),
  from: MemberName.optional(),
  before: SearchCursor.optional(),
  limit: queryInteger(1, limits.search.pageMax).default(limits.search.pageDefault),
});
export type SearchQuery = z.infer<typeof SearchQuery>;

/** `ranges` are the positions of the matches in `snippet`, in UTF-16 units, end exclusive. */
export const SearchResult = z
  .object({
    kind: z.enum(['message', 'objective']),
    id: z.string(),
    scope: z.string(),
    ts: Timestamp,
    from: z.string(),
    snippet: z.string(),
    ranges: z.array(z.tuple([z.int().nonnegative(), z.int().nonnegative()])),
  })
  .meta({ id: 'SearchResult' });
export type SearchResult = z.infer<typeof SearchResult>;

/**
 * Newest first. A page may have fewer results than requested, even none, and still have a `next`. `indexing`: the oldest messages are
 * being indexed again after an update, so results may be missing.
 */
export const SearchReply = z
  .object({
    results: z.array(SearchResult),
    next: z.string().nullable(),
    indexing: z.literal(true).optional(),
  })
  .meta({ id: 'SearchReply' });
export type SearchReply = z.infer<typeof SearchReply>;
