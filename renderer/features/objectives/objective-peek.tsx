/** An objective in a dialog over the list. */
import { Link } from '@tanstack/react-router';
import { useObjective } from '../../data/queries.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { NotLoaded } from '../../ui/states.tsx';
import { WithReferences } from '../conversations/references.tsx';
import { ObjectiveActs } from './objective-acts.tsx';
import { Timeline } from './objective-timeline.tsx';
import { Outcome } from './outcome.tsx';
import { Properties } from './properties.tsx';

export function ObjectivePeek({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, error, refetch } = useObjective(id);
  return (
    <Dialog isOpen onClose={onClose} title={data?.objective.title ?? 'Objective'} wide>
      {data === undefined ? (
        <NotLoaded error={error} onRetry={refetch} />
      ) : (
        <div className="flex flex-col gap-5">
          <div className="flex flex-wrap items-center justify-end gap-2">
            <ObjectiveActs objective={data.objective} />
            {/* Back leads to the list, not to the dialog again. */}
            <Link to="/app/objectives/$id" params={{ id }} replace className={buttonClass()}>
              Open
            </Link>
          </div>
          <WithReferences>
            <Outcome view={data} />
            <Properties view={data} />
            <Timeline events={data.events} />
          </WithReferences>
        </div>
      )}
    </Dialog>
  );
}
