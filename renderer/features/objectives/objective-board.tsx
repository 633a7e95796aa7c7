/** Objectives as a board with one column per status, each loaded by itself. */
import { type ComponentProps, useRef, useState } from 'react';
import type { ObjectiveStatus } from '#protocol/objective.ts';
import { useObjectiveList } from '../../data/objective-lists.ts';
import { hasStatus } from '../../data/objective-pages.rules.ts';
import { useObjective } from '../../data/queries.ts';
import { cx } from '../../ui/class-names.ts';
import { LoadMore } from '../../ui/load-more.tsx';
import { scrollable } from '../../ui/scrollable.ts';
import { NotLoaded } from '../../ui/states.tsx';
import { nameOfStatus, StatusIcon } from '../../ui/status-icon.tsx';
import { ActDialogs } from './act-dialogs.tsx';
import { type Sorting, sorted, statusOrder } from './arrangement.rules.ts';
import { BoardCard } from './board-card.tsx';
import { type ObjectiveFilter, withWords } from './objective-filter.ts';
import { type Board, useMoves } from './use-moves.ts';
import { useNeeding } from './use-need.ts';

interface BoardProps {
  filter: ObjectiveFilter;
  sort: Sorting | undefined;
}

interface ColumnProps extends BoardProps {
  status: ObjectiveStatus;
  board: Board;
}

function Column({ status, filter, sort, board: { moves, dragged } }: ColumnProps) {
  const [isOver, setOver] = useState(false);
  const isNeeding = useNeeding();
  const isTarget = dragged !== null && dragged.status !== status;
  const { assignee, originator, q } = filter;
  const list = useObjectiveList({ status, assignee, originator });
  const found = sorted(withWords(list.objectives ?? [], q), sort);
  const isLoaded = list.objectives !== undefined;
  return (
    <section
      aria-label={nameOfStatus(status)}
      data-column={status}
      onDragOver={(event) => {
        if (!isTarget) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={({ currentTarget, relatedTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setOver(false);
      }}
      onDrop={(event) => {
        setOver(false);
        if (!isTarget) return;
        event.preventDefault();
        moves.drag(null);
        moves.move(dragged, status);
      }}
      className={cx(
        'flex min-h-0 min-w-0 flex-col rounded-lg p-1 outline-2',
        isTarget && isOver ? 'outline-accent' : 'outline-transparent',
      )}
    >
      <h2 className="flex items-center gap-2 pb-2 font-semibold">
        <StatusIcon status={status} isNamed />
        <span className="inline-block first-letter:uppercase">{nameOfStatus(status)}</span>
        <span className="text-sm font-normal text-faint">
          {isLoaded ? `${found.length}${list.hasMore ? '+' : ''}` : ''}
        </span>
      </h2>
      {isLoaded ? null : <NotLoaded error={list.error} onRetry={list.retry} rows={3} />}
      <div className="min-h-0 overflow-y-auto">
        <ul className="flex flex-col gap-2">
          {found.map((objective) => (
            <BoardCard
              key={objective.id}
              objective={objective}
              moves={moves}
              isNeeding={isNeeding(objective)}
            />
          ))}
        </ul>
        {list.hasMore && list.objectives !== undefined ? (
          <LoadMore isLoading={list.isLoadingMore} onMore={list.loadMore} error={list.error}>
            The newest {list.objectives.length} are loaded.
          </LoadMore>
        ) : null}
      </div>
    </section>
  );
}

interface AskedMoveProps extends Omit<ComponentProps<typeof ActDialogs>, 'objective' | 'act'> {
  asked: NonNullable<Board['asking']>;
}

/** The dialog follows what others do to the objective. */
function AskedMove({ asked: { objective, act }, ...rest }: AskedMoveProps) {
  const { data } = useObjective(objective.id);
  return <ActDialogs objective={data?.objective ?? objective} act={act} {...rest} />;
}

export function ObjectiveBoard(props: BoardProps) {
  const cards = useRef<HTMLDivElement>(null);
  const board = useMoves(cards);
  const { asking, onClose, onDone, focusAfter } = board;
  return (
    <>
      <div
        ref={cards}
        {...scrollable('Board', 'region')}
        className="grid h-full auto-cols-[minmax(15rem,1fr)] grid-flow-col gap-3 overflow-x-auto p-4"
      >
        {statusOrder
          .filter((status) => hasStatus(status, props.filter.status))
          .map((status) => (
            <Column key={status} status={status} board={board} {...props} />
          ))}
      </div>
      {asking === null ? null : (
        <AskedMove
          asked={asking}
          onClose={onClose}
          onDone={(_, act) => onDone(asking.objective, act)}
          focusAfter={focusAfter}
        />
      )}
    </>
  );
}
