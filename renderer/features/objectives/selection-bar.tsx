/** The actions on the selected objectives. */
import { Ban, Eye, UserRoundPen, X } from 'lucide-react';
import type { RefObject } from 'react';
import { Button, IconButton } from '../../ui/button.tsx';
import type { BulkAct } from './bulk.rules.ts';

export interface SelectionBarProps {
  /** Receives the focus after an action. */
  bar: RefObject<HTMLElement | null>;
  count: number;
  /** The number of shown objectives. */
  shown: number;
  onAll: () => void;
  onAct: (act: BulkAct) => void;
  onClear: () => void;
}

export function SelectionBar({ bar, count, shown, onAll, onAct, onClear }: SelectionBarProps) {
  return (
    <section
      ref={bar}
      aria-label="Selection"
      className="flex flex-wrap items-center gap-2 border-b border-line bg-selected px-4 py-1.5"
    >
      <span role="status" className="text-sm font-medium">
        {count} selected
      </span>
      {count < shown ? (
        <Button size="small" look="quiet" onClick={onAll}>
          Select all {shown}
        </Button>
      ) : null}
      <IconButton label="Clear the selection" className="size-7" onClick={onClear}>
        <X />
      </IconButton>
      <span className="flex-1 max-sm:hidden" />
      {/* A line of its own on a phone. */}
      <span className="flex gap-2 max-sm:w-full">
        <Button size="small" onClick={() => onAct('reassign')}>
          <UserRoundPen className="size-4 max-sm:hidden" />
          Reassign
        </Button>
        <Button size="small" onClick={() => onAct('watch')}>
          <Eye className="size-4 max-sm:hidden" />
          Add watchers
        </Button>
        <Button size="small" look="danger" onClick={() => onAct('cancel')}>
          <Ban className="size-4 max-sm:hidden" />
          {count === 1 ? 'Cancel objective' : 'Cancel objectives'}
        </Button>
      </span>
    </section>
  );
}
