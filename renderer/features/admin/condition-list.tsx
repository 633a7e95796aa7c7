/** The conditions to act on, each with what mends it: in Health all of them, and at the head of another part its own. */
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { TriangleAlert } from 'lucide-react';
import { type ReactNode, type RefObject, useRef, useState } from 'react';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { useMutation } from '../../data/use-mutation.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { CopyLine } from '../../ui/copy-button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { ErrorState, ListSkeleton } from '../../ui/states.tsx';
import type { Condition, Mend } from './needs-attention.rules.ts';

type ListRef = RefObject<HTMLDivElement | null> | undefined;

function Acknowledge({ seq, list }: { seq: number; list: ListRef }) {
  const { client } = useBroker();
  const cache = useQueryClient();
  const [isAsked, setAsked] = useState(false);
  const acknowledge = useMutation({
    mutationFn: () => client.call('acknowledgeAuditCut', { params: { seq: String(seq) } }),
    onSuccess: async () => {
      setAsked(false);
      await cache.invalidateQueries({ queryKey: keys.audit });
      // The button goes with its condition.
      list?.current?.focus();
    },
  });
  return (
    <>
      <Button onClick={() => setAsked(true)}>Acknowledge…</Button>
      <Confirm
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        title="Do you know why the log was cut?"
        consequence="For example, somebody replaced the main store on purpose. The log keeps the record of the cut, adds that you acknowledged it, and counts as complete again. This cannot be undone."
        act="Acknowledge the cut"
        change={acknowledge}
        onConfirm={() => acknowledge.mutate()}
      />
    </>
  );
}

function MendOf({ mend, list }: { mend: Mend; list: ListRef }) {
  if (mend.kind === 'command') return <CopyLine label="Command for the broker’s machine" text={mend.text} />;
  if (mend.kind === 'cut') return <Acknowledge seq={mend.seq} list={list} />;
  switch (mend.place) {
    case 'backup':
      return (
        <Link to="/app/admin/backup" className={buttonClass()}>
          Backup and retention
        </Link>
      );
    case 'logins':
      return (
        <Link to="/app/admin/audit" search={{ kind: 'login_failed' }} className={buttonClass()}>
          Failed logins
        </Link>
      );
    case 'notifications':
      return (
        <Link to="/app/me" search={{ part: 'notifications' }} className={buttonClass()}>
          Your notifications
        </Link>
      );
  }
}

interface ConditionListProps {
  /** Undefined until they are known. */
  conditions: readonly Condition[] | undefined;
  error: unknown;
  onRetry: () => void;
  /** The part that shows them, to which no link is needed. */
  here?: string;
  /** Shown if there is no condition, and nothing failed. */
  children: ReactNode;
}

export function ConditionList({ conditions, error, onRetry, here, children }: ConditionListProps) {
  const list = useRef<HTMLDivElement>(null);
  const isQuiet = conditions?.length === 0 && error === null;
  return (
    <div ref={list} tabIndex={-1} className="outline-none">
      {error === null ? null : <ErrorState error={error} onRetry={onRetry} />}
      {conditions === undefined && error === null ? <ListSkeleton rows={2} /> : null}
      {isQuiet ? <p className="p-4 text-soft">{children}</p> : null}
      <ConditionRows conditions={conditions ?? []} list={list} here={here} />
    </div>
  );
}

interface ConditionRowsProps {
  conditions: readonly Condition[];
  /** It gets the focus when a condition goes with its button. */
  list?: ListRef;
  here?: string | undefined;
}

export function ConditionRows({ conditions, list, here }: ConditionRowsProps) {
  if (conditions.length === 0) return null;
  return (
    <ul className="flex flex-col gap-2 px-4 py-3">
      {conditions.map(({ key, sentence, mend }) => (
        <li
          key={key}
          className={cx(
            'flex gap-x-4 gap-y-2 rounded-md bg-caution-soft px-3 py-2.5',
            mend?.kind === 'command' ? 'flex-col' : 'items-center max-sm:flex-col max-sm:items-stretch',
          )}
        >
          <p className="flex min-w-0 flex-1 gap-2.5">
            <TriangleAlert className="mt-0.5 size-4 shrink-0 text-caution" aria-hidden="true" />
            <span className="min-w-0 [overflow-wrap:anywhere]">
              <bdi>{sentence}</bdi>
            </span>
          </p>
          {mend === null || (mend.kind === 'place' && mend.place === here) ? null : (
            <div className="shrink-0">
              <MendOf mend={mend} list={list} />
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}
