/** The rows of a timeline. Only visible rows are rendered, and older ones are loaded on scrolling. */
import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import type { ActivitySummary } from '#protocol/activity-summary.ts';
import { useObjectiveTitle } from '../../data/objective-titles.ts';
import { shortCount, tokensOf } from '../../data/token-usage.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Badge } from '../../ui/badge.tsx';
import { cx } from '../../ui/class-names.ts';
import { openingLayer } from '../../ui/layers.ts';
import { Time } from '../../ui/time.tsx';
import { gistOf, toolErrorsOf } from './activity-gist.rules.ts';
import { failedTone, labelByKind } from './activity-kinds.ts';

const nearEndPx = 600;

export interface ActivityListProps {
  label: string;
  /** Newest first. */
  rows: readonly ActivitySummary[];
  /** Whether each row says whose it is. */
  hasMember: boolean;
  hasOlder: boolean;
  isLoadingOlder: boolean;
  onOlder: () => void;
}

function Row({ row, hasMember }: { row: ActivitySummary; hasMember: boolean }) {
  const gist = gistOf(row, useObjectiveTitle(row.objectiveId));
  const { label, tone } = labelByKind[row.kind];
  const tokens = tokensOf(row);
  const toolErrors = toolErrorsOf(row);
  return (
    <Link
      to="/app/activity"
      search={(search) => ({ ...search, row: row.id, of: row.memberName })}
      {...openingLayer}
      className="flex h-11 w-full items-center gap-3 border-b border-line bg-surface px-4 text-left hover:bg-hover max-sm:h-auto max-sm:flex-wrap max-sm:gap-y-1 max-sm:py-2"
    >
      {hasMember ? (
        <span className="flex w-36 shrink-0 items-center gap-2 max-sm:w-auto max-sm:flex-1">
          <Avatar name={row.memberName} size="small" />
          <span className="truncate font-medium">{row.memberName}</span>
        </span>
      ) : null}
      <span className={cx('w-32 shrink-0', hasMember ? 'max-sm:w-auto' : 'max-sm:flex-1')}>
        <Badge tone={row.isFailed ? failedTone(row) : tone}>{row.isFailed ? `${label} failed` : label}</Badge>
      </span>
      <span className="min-w-0 flex-1 truncate max-sm:order-last max-sm:basis-full">{gist}</span>
      {toolErrors === 0 ? null : (
        <Badge tone="caution">{toolErrors === 1 ? 'tool error' : `${toolErrors} tool errors`}</Badge>
      )}
      <span className="text-sm text-soft tabular-nums max-sm:hidden">
        {tokens === 0 ? '' : `${shortCount.format(tokens)} tokens`}
      </span>
      <span className="w-28 text-right text-sm text-faint max-sm:w-auto">
        <Time at={row.ts} />
      </span>
    </Link>
  );
}

export function ActivityList(props: ActivityListProps) {
  const { label, rows, hasMember, hasOlder, isLoadingOlder, onOlder } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 44,
    overscan: 8,
    getItemKey: (index) => rows[index]?.id ?? index,
  });
  return (
    <div
      ref={scroller}
      className="min-h-0 flex-1 overflow-y-auto"
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        if (scrollHeight - scrollTop - clientHeight < nearEndPx && hasOlder && !isLoadingOlder) onOlder();
      }}
    >
      <ul aria-label={label} className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map((item) => {
          const row = rows[item.index];
          if (row === undefined) return null;
          return (
            <li
              key={item.key}
              ref={virtualizer.measureElement}
              data-index={item.index}
              className="absolute top-0 left-0 w-full"
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <Row row={row} hasMember={hasMember} />
            </li>
          );
        })}
      </ul>
      {isLoadingOlder ? <p className="py-2 text-center text-sm text-faint">Loading older activity…</p> : null}
    </div>
  );
}
