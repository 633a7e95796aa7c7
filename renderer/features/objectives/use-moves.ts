/** Moves cards of the board between statuses: what is dragged, what is asked, what is taken back, and where the focus goes. */
import { type RefObject, useMemo, useRef, useState } from 'react';
import type { Objective, ObjectiveStatus } from '#protocol/objective.ts';
import { useBroker } from '../../data/broker.tsx';
import { useSelf } from '../../data/self.tsx';
import { nameOfStatus } from '../../ui/status-icon.tsx';
import { toast, toastError, toastWithUndo } from '../../ui/toast.ts';
import type { Act } from './act-dialogs.tsx';
import { moveOf } from './board-moves.rules.ts';
import { rightsTo } from './objective-rights.ts';
import { useRefreshObjective } from './refresh-objective.ts';

const statusOfAct: Partial<Record<Act, ObjectiveStatus>> = {
  block: 'blocked',
  complete: 'done',
  cancel: 'cancelled',
};

const hasFocusIn = (element: HTMLElement | null): boolean =>
  element?.contains(document.activeElement) === true;

/** The parts that stay the same while the board is shown, except for `dragged`. */
export interface Moves {
  drag(objective: Objective | null): void;
  move(objective: Objective, to: ObjectiveStatus): void;
  /** Whether this card was moved to this column and has not had the focus there. Asking takes it back. */
  isArriving(id: string, status: ObjectiveStatus): boolean;
}

export interface Board {
  moves: Moves;
  dragged: Objective | null;
  /** The dialog that asks for the text of a move. */
  asking: { objective: Objective; act: Act | null } | null;
  /** After the dialog: the move was made. */
  onDone(objective: Objective, act: Act): void;
  onClose(): void;
  /** Returns the card that was moved, or one beside it if its new column is not shown. */
  focusAfter(): HTMLElement | null;
}

/** `board`: the element with the cards. */
export function useMoves(board: RefObject<HTMLElement | null>): Board {
  const { client } = useBroker();
  const self = useSelf();
  const refresh = useRefreshObjective();
  const [dragged, drag] = useState<Objective | null>(null);
  const [asking, setAsking] = useState<Board['asking']>(null);
  const arriving = useRef<{ id: string; to: ObjectiveStatus } | null>(null);
  const latest = useRef({ client, self, refresh });
  latest.current = { client, self, refresh };
  const { moves, told } = useMemo(() => {
    type Patch = { status: 'active' } | { status: 'blocked'; blockReason: string };
    async function patch({ id }: Objective, body: Patch): Promise<void> {
      const now = latest.current;
      now.refresh(await now.client.call('updateObjective', { params: { id }, body }));
    }
    /** Gives the focus to the card, which may have arrived already, or else to another card or the board. */
    function follow(id: string, to: ObjectiveStatus): void {
      const cards = [...(board.current?.querySelectorAll<HTMLElement>('[data-card]') ?? [])];
      const own = cards.find((one) => one.dataset.card === id);
      const isThere = own?.closest<HTMLElement>('[data-column]')?.dataset.column === to;
      const isShown = board.current?.querySelector(`[data-column="${to}"]`) != null;
      arriving.current = isThere || !isShown ? null : { id, to };
      if (isThere || !hasFocusIn(board.current)) (own ?? cards[0] ?? board.current)?.focus();
    }
    /** The former state is offered where the states allow to go back. */
    function tell(before: Objective, to: ObjectiveStatus): void {
      arriving.current = { id: before.id, to };
      const sentence = `“${before.title}” is ${nameOfStatus(to)}`;
      const { status, blockReason } = before;
      const undo: Patch | null =
        to === 'blocked'
          ? { status: 'active' }
          : status === 'blocked' && to === 'active' && blockReason !== null
            ? { status: 'blocked', blockReason }
            : null;
      if (undo === null) toast(sentence);
      else
        toastWithUndo(sentence, () => {
          follow(before.id, status);
          patch(before, undo).catch(toastError);
        });
    }
    const made: Moves = {
      drag,
      isArriving(id, status) {
        const isHere = arriving.current?.id === id && arriving.current.to === status;
        if (isHere) arriving.current = null;
        return isHere;
      },
      move(objective, to) {
        const step = moveOf(objective, to, rightsTo(objective, latest.current.self));
        if (step.kind === 'refused')
          toast(`“${objective.title}” cannot move to ${nameOfStatus(to)}`, step.sentence);
        else if (step.kind === 'ask') setAsking({ objective, act: step.act });
        else if (step.kind === 'unblock')
          patch(objective, { status: 'active' }).then(() => {
            tell(objective, 'active');
            // The member may have moved the focus elsewhere in the meantime.
            if (document.activeElement === document.body || hasFocusIn(board.current))
              follow(objective.id, 'active');
          }, toastError);
      },
    };
    return { moves: made, told: tell };
  }, [board]);
  return {
    moves,
    dragged,
    asking,
    onDone(objective, act) {
      const to = statusOfAct[act];
      if (to !== undefined) told(objective, to);
    },
    onClose: () => setAsking((before) => before && { ...before, act: null }),
    focusAfter() {
      const id = asking?.objective.id ?? '';
      const cards = [...(board.current?.querySelectorAll<HTMLElement>('[data-card]') ?? [])];
      const to = arriving.current?.to;
      const isShown = to === undefined || board.current?.querySelector(`[data-column="${to}"]`) !== null;
      const own = cards.find((one) => one.dataset.card === id);
      if (!isShown) arriving.current = null;
      return isShown ? (own ?? null) : (cards.find((one) => one !== own) ?? null);
    },
  };
}
