/** The live transcript of an agent: what its model said and called, what tools answered, and its edits as diffs. */
import { Link } from '@tanstack/react-router';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { useFollowEnd } from '../../ui/follow-end.ts';
import { Markdown } from '../../ui/markdown.tsx';
import { scrollable } from '../../ui/scrollable.ts';
import { NotLoaded } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { BlockView } from '../activity/exchange-messages.tsx';
import { ResultFold, ToolCall } from '../activity/tool-call.tsx';
import { conversationOf, type Part, type ShownTurn } from './conversation.rules.ts';
import { useTranscript } from './use-transcript.ts';

function PartView({ part }: { part: Part }) {
  switch (part.kind) {
    case 'told':
      return (
        <div
          {...scrollable('Text for the agent')}
          className="max-h-60 overflow-y-auto rounded-md bg-sunken px-3 py-1.5"
        >
          <Markdown text={part.text} />
        </div>
      );
    case 'said':
      return <Markdown text={part.text} />;
    case 'call':
      return <ToolCall name={part.name} input={part.input} {...(part.result && { result: part.result })} />;
    case 'result':
      return <ResultFold text={part.text} isError={part.isError} />;
    case 'other':
      return <BlockView block={part.block} />;
  }
}

function Turn({ member, shown: { turn, parts } }: { member: string; shown: ShownTurn }) {
  const { id, ts, model, isFailed, isCut } = turn;
  return (
    <li className="flex flex-col gap-1 px-4 py-2">
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts have no names and never move
        <PartView key={index} part={part} />
      ))}
      <p className="flex h-6 items-center gap-2 text-sm text-faint max-md:h-11">
        {isFailed ? <Badge tone="critical">request failed</Badge> : null}
        <Time at={ts} />
        <span className="truncate">{model ?? 'a model'}</span>
        <Link to="/app/activity" search={{ member, row: id }} className="shrink-0 underline hover:text-text">
          {isCut ? 'All of this request' : 'Details'}
        </Link>
      </p>
    </li>
  );
}

export function Transcript({ member }: { member: string }) {
  const { turns, data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } =
    useTranscript(member);
  const { box, leave, onScroll } = useFollowEnd(turns.at(-1)?.id);
  if (data === undefined) return <NotLoaded error={error} onRetry={refetch} rows={4} />;
  if (turns.length === 0) return <p className="p-4 text-soft">No model request has been recorded yet.</p>;
  return (
    <div
      ref={box}
      {...scrollable(`Model requests of ${member}`)}
      onScroll={onScroll}
      className="min-h-0 flex-1 overflow-y-auto -outline-offset-2"
    >
      {hasNextPage ? (
        <div className="p-2 text-center">
          <Button
            size="small"
            aria-busy={isFetchingNextPage || undefined}
            onClick={() => {
              leave();
              if (!isFetchingNextPage) void fetchNextPage({ cancelRefetch: false });
            }}
          >
            {isFetchingNextPage ? 'Loading…' : 'Load earlier requests'}
          </Button>
        </div>
      ) : null}
      <ol>
        {conversationOf(turns).map((shown) => (
          <Turn key={shown.turn.id} member={member} shown={shown} />
        ))}
      </ol>
    </div>
  );
}
