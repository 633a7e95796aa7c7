/**
 * How far the member's own message has come (specification/receipts.md#states): the strongest known state,
 * and never more. It is fetched when it is opened.
 */
import { Popover } from '@base-ui/react/popover';
import { useQuery } from '@tanstack/react-query';
import { CheckCheck } from 'lucide-react';
import { useState } from 'react';
import { refusalText } from '#protocol/model-refusal-text.ts';
import type { ReceiptState } from '#protocol/receipt.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { clockTime, Time } from '../../ui/time.tsx';

const labelByState: Record<ReceiptState, string> = {
  stored: 'stored, not delivered yet',
  delivered: 'delivered',
  read: 'read',
  offered: 'offered to the agent',
  accepted: 'accepted by the agent',
  in_context: 'in the model’s context',
  answered: 'answered',
};

function Known({ messageId }: { messageId: string }) {
  const { client } = useBroker();
  const { data, error } = useQuery({
    queryKey: keys.receipts(messageId),
    queryFn: () => client.call('receipts', { params: { id: messageId } }),
    // Events refetch it while it is open; what happened before is not known.
    staleTime: 0,
  });
  if (error !== null) return <ErrorState error={error} />;
  if (data === undefined) return <Skeleton className="h-6 w-40" />;
  return (
    <ul className="max-h-64 overflow-y-auto text-sm">
      {data.receipts.map(({ member, state, at, model }) => (
        <li key={member} className="py-0.5">
          <div className="flex justify-between gap-4">
            <span className="font-medium">{member}</span>
            <span className="text-soft">
              {labelByState[state]} {at === null || state === 'stored' ? null : <Time at={at} />}
            </span>
          </div>
          {model === undefined ? null : (
            <p className="max-w-72 text-critical wrap-anywhere">
              The model is refusing: {refusalText(model, clockTime)}
            </p>
          )}
        </li>
      ))}
      {data.receipts.length === 0 ? <li className="text-soft">No other members.</li> : null}
    </ul>
  );
}

export function Receipts({ messageId }: { messageId: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger
        aria-label="Show receipts"
        className="inline-flex size-6 items-center justify-center self-start rounded-md text-faint hover:bg-hover"
      >
        <CheckCheck className="size-3.5" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="end" className="z-50">
          <Popover.Popup
            aria-label="Receipts"
            className="min-w-52 rounded-md border border-line bg-raised p-3 shadow-(--shadow) outline-none"
          >
            {isOpen ? <Known messageId={messageId} /> : null}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
