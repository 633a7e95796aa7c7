/** A card of the board. It can be dragged, and its menu moves it by keyboard. */
import { Link } from '@tanstack/react-router';
import { MoveRight } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { Objective, ObjectiveStatus } from '#protocol/objective.ts';
import { plainExcerpt } from '#protocol/plain-excerpt.ts';
import { useSelf } from '../../data/self.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { IconButton } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { useFocusBeside } from '../../ui/focus-beside.ts';
import { Menu } from '../../ui/menu.tsx';
import { nameOfStatus, StatusIcon } from '../../ui/status-icon.tsx';
import { statusOrder } from './arrangement.rules.ts';
import { NeedsYou } from './needs-you.tsx';
import { reasonOf } from './state.rules.ts';
import type { Moves } from './use-moves.ts';

/** Moving there asks for a text first. */
const asks = (status: ObjectiveStatus): boolean => status !== 'active';

/** Another card, or else the board. */
function afterLast(card: HTMLElement): HTMLElement | null {
  const board = card.closest<HTMLElement>('[role="region"]');
  const others = [...(board?.querySelectorAll<HTMLElement>('[data-card]') ?? [])];
  return others.find((one) => !card.contains(one)) ?? board;
}

interface BoardCardProps {
  objective: Objective;
  moves: Moves;
  isNeeding: boolean;
}

export function BoardCard({ objective, moves, isNeeding }: BoardCardProps) {
  const { id, title, outcome, assignee, status } = objective;
  const isOwn = assignee === useSelf().member;
  const link = useRef<HTMLAnchorElement>(null);
  const card = useRef<HTMLLIElement>(null);
  useFocusBeside(card, afterLast);
  // It was moved here from another column.
  useEffect(() => {
    if (moves.isArriving(id, status)) link.current?.focus();
  }, [moves, id, status]);
  return (
    <li
      ref={card}
      draggable
      onDragStart={({ dataTransfer }) => {
        dataTransfer.effectAllowed = 'move';
        dataTransfer.setData('text/plain', title);
        moves.drag(objective);
      }}
      onDragEnd={() => moves.drag(null)}
      className="relative rounded-md border border-line bg-surface hover:border-line-strong"
    >
      <Link
        ref={link}
        to="/app/objectives/$id"
        params={{ id }}
        draggable={false}
        data-card={id}
        className="flex w-full flex-col gap-1 px-3 py-2 text-left"
      >
        <span className="pr-8 font-medium" dir="auto">
          {title}
        </span>
        <span className="line-clamp-2 text-sm text-soft" dir="auto">
          {isNeeding ? <NeedsYou /> : null}
          {plainExcerpt(reasonOf(objective) ?? outcome)}
        </span>
        <span className={cx('flex items-center gap-1.5 text-sm', isOwn ? 'font-medium' : 'text-soft')}>
          <Avatar name={assignee} size="small" />
          <span className="truncate">{assignee}</span>
          <span className="shrink-0 grow">{isOwn ? '(you)' : ''}</span>
          <StatusIcon status={status} />
        </span>
      </Link>
      <span className="absolute top-1 right-1">
        <Menu
          trigger={
            <IconButton label={`Move “${title}”`}>
              <MoveRight />
            </IconButton>
          }
          items={statusOrder
            .filter((one) => one !== status)
            .map((to) => ({
              label: `Move to ${nameOfStatus(to)}${asks(to) ? '…' : ''}`,
              onSelect: () => moves.move(objective, to),
            }))}
        />
      </span>
    </li>
  );
}
