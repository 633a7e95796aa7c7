/**
 * Search over everything that the member may read, newest first. Matches are marked by position, never by
 * markup.
 */

import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { useDeferredValue } from 'react';
import { counted } from '#protocol/counted.ts';
import { parseScope } from '#protocol/scope.ts';
import type { SearchResult } from '#protocol/search.ts';
import { searchFurther } from '#protocol/search-further.ts';
import { useBroker } from '../../data/broker.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState, ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { plainSnippet } from './plain-snippet.rules.ts';
import { ShownScope } from './shown-scope.tsx';

export function MarkedText({ text, ranges }: { text: string; ranges: SearchResult['ranges'] }) {
  const parts = ranges.map(([start, end], index) => [
    text.slice(ranges[index - 1]?.[1] ?? 0, start),
    // biome-ignore lint/suspicious/noArrayIndexKey: the places of one text
    <mark key={index} className="rounded-sm bg-caution-soft text-text">
      {text.slice(start, end)}
    </mark>,
  ]);
  return (
    <>
      {parts}
      {text.slice(ranges.at(-1)?.[1] ?? 0)}
    </>
  );
}

function Result({ result }: { result: SearchResult }) {
  const { kind, id, scope, from, ts } = result;
  const { snippet, ranges } = plainSnippet(result);
  const place = parseScope(scope);
  const inner = (
    <>
      <span className="flex justify-between gap-2 text-sm text-soft">
        <span className="truncate">
          <span className="font-medium text-text">{from}</span>{' '}
          {place?.kind === 'direct' ? (
            `to ${place.member === from ? 'you' : place.member}`
          ) : (
            <>
              in <ShownScope scope={scope} />
            </>
          )}
        </span>
        <Time at={ts} />
      </span>
      <span className="line-clamp-2">
        <MarkedText text={snippet} ranges={ranges} />
      </span>
    </>
  );
  const className = 'flex flex-col gap-0.5 rounded-md px-3 py-2 hover:bg-hover';
  return kind === 'objective' ? (
    <Link to="/app/objectives/$id" params={{ id }} className={className}>
      {inner}
    </Link>
  ) : (
    <Link to="/app/conversations/$scope" params={{ scope }} search={{ message: id }} className={className}>
      {inner}
    </Link>
  );
}

const stillIndexing =
  'The broker is still indexing older messages after an update, so results may be missing.';

export function SearchPanel({ query }: { query: string }) {
  const { client } = useBroker();
  const q = useDeferredValue(query.trim());
  const { data, error, isPending, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['search', q],
    enabled: q !== '',
    staleTime: 0,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) =>
      searchFurther((before) => client.call('search', { query: { q, before } }), pageParam),
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  if (q === '')
    return (
      <EmptyState icon={<Search />} title="Search">
        Results contain all of your words. Put a phrase in quotation marks.
      </EmptyState>
    );
  if (error !== null) return <ErrorState error={error} />;
  if (isPending) return <ListSkeleton />;
  const results = data.pages.flatMap((page) => page.results);
  const isIndexing = data.pages.some(({ indexing }) => indexing);
  if (results.length === 0 && !hasNextPage)
    return (
      <EmptyState icon={<Search />} title="Nothing found">
        {isIndexing ? stillIndexing : 'No message or objective that you can read contains these words.'}
      </EmptyState>
    );
  return (
    <div className="flex flex-col p-2">
      <p role="status" className="px-3 py-1 text-sm font-medium wrap-anywhere text-soft">
        {hasNextPage ? 'The newest ' : ''}
        {counted(results.length, 'result')} for “<bdi>{q}</bdi>” in all conversations and objectives
      </p>
      {results.map((result) => (
        <Result key={`${result.kind}-${result.id}`} result={result} />
      ))}
      {hasNextPage ? (
        <Button look="quiet" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          More
        </Button>
      ) : null}
      {isIndexing && !hasNextPage ? <p className="px-3 py-2 text-sm text-soft">{stillIndexing}</p> : null}
    </div>
  );
}
