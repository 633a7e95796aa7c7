/** The live transcript of an agent: what its model said and called, what tools answered, and its edits as diffs. */
import { Link } from '@tanstack/react-router';
import { useLayoutEffect, useRef } from 'react';
import type { ActivityTurn } from '#protocol/activity-summary.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { scrollable } from '../../ui/scrollable.ts';
import { ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { BlockView } from '../activity/exchange-messages.tsx';
import { useTranscript } from './use-transcript.ts';

const nearEnd = 40;

function Turn({ member, turn }: { member: string; turn: ActivityTurn }) {
  const { id, ts, model, isFailed, isCut, got, said } = turn;
  return (
    <li className="flex flex-col gap-2 border-b border-line px-3 py-2 last:border-0">
      <p className="flex flex-wrap items-center gap-2 text-sm text-soft">
        <Time at={ts} />
        <span>{model ?? 'a model'}</span>
        {isFailed ? <Badge tone="critical">failed</Badge> : null}
        <Link
          to="/app/activity"
          search={{ member, row: id }}
          className="text-accent underline underline-offset-2"
        >
          {isCut ? 'All of this exchange' : 'Exchange'}
        </Link>
      </p>
      {[...got, ...said].map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no names and never move
        <BlockView key={index} block={block} />
      ))}
    </li>
  );
}

export function Transcript({ member }: { member: string }) {
  const { turns, data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } =
    useTranscript(member);
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const last = turns.at(-1)?.id;
  useLayoutEffect(() => {
    const { current } = box;
    if (last !== undefined && current !== null && isAtEnd.current) current.scrollTop = current.scrollHeight;
  }, [last]);
  if (data === undefined)
    return error === null ? (
      <ListSkeleton rows={4} />
    ) : (
      <ErrorState error={error} onRetry={() => void refetch()} />
    );
  if (turns.length === 0)
    return <p className="p-4 text-soft">No exchange with a model has been recorded yet.</p>;
  return (
    <div
      ref={box}
      {...scrollable(`Exchanges of ${member}`)}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < nearEnd;
      }}
      className="min-h-0 flex-1 overflow-y-auto -outline-offset-2"
    >
      {hasNextPage ? (
        <div className="border-b border-line p-2 text-center">
          <Button
            size="small"
            aria-busy={isFetchingNextPage || undefined}
            onClick={() => {
              isAtEnd.current = false;
              if (!isFetchingNextPage) void fetchNextPage({ cancelRefetch: false });
            }}
          >
            {isFetchingNextPage ? 'Loading…' : 'Load earlier exchanges'}
          </Button>
        </div>
      ) : null}
      <ol>
        {turns.map((turn) => (
          <Turn key={turn.id} member={member} turn={turn} />
        ))}
      </ol>
    </div>
  );
}
