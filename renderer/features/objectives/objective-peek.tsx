/** An objective in a dialog over the list. */
import { Link } from '@tanstack/react-router';
import { useObjective } from '../../data/queries.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { StatusIcon } from '../../ui/status-icon.tsx';
import { WithReferences } from '../conversations/references.tsx';
import { Evidence } from './evidence.tsx';
import { ObjectiveActs } from './objective-acts.tsx';
import { ObjectiveFacts } from './objective-facts.tsx';
import { Timeline } from './objective-timeline.tsx';
import { Outcome } from './outcome.tsx';

export function ObjectivePeek({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, error, refetch } = useObjective(id);
  return (
    <Dialog isOpen onClose={onClose} title={data?.objective.title ?? 'Objective'} wide>
      {data === undefined ? (
        error === null ? (
          <ListSkeleton />
        ) : (
          <ErrorState error={error} onRetry={() => void refetch()} />
        )
      ) : (
        <div className="flex flex-col gap-4">
          <div className="flex flex-wrap items-center gap-2">
            <StatusIcon status={data.objective.status} />
            <span className="flex-1" />
            <ObjectiveActs objective={data.objective} />
            {/* Back leads to the list, not to the dialog again. */}
            <Link to="/app/objectives/$id" params={{ id }} replace className={buttonClass()}>
              Open
            </Link>
          </div>
          <WithReferences>
            <Outcome objective={data.objective} />
            <Evidence objective={data.objective} />
            <ObjectiveFacts objective={data.objective} />
            <Timeline events={data.events} />
          </WithReferences>
        </div>
      )}
    </Dialog>
  );
}
