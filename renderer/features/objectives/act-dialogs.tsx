/** The dialogs for the actions on an objective that need a text. */
import { limits } from '#protocol/limits.ts';
import type { Objective } from '#protocol/objective.ts';
import { plainExcerpt } from '#protocol/plain-excerpt.ts';
import { useBroker } from '../../data/broker.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ReasonDialog } from './reason-dialog.tsx';
import { ReassignForm } from './reassign-form.tsx';
import { useActNews } from './use-act-news.ts';
import { WatchersForm } from './watchers-form.tsx';

export type Act = 'block' | 'complete' | 'cancel' | 'reassign' | 'watchers';

export interface ActDialogsProps {
  objective: Objective;
  /** The open dialog; null if none is open. */
  act: Act | null;
  onClose: () => void;
  /** The broker made the change that a text was asked for. */
  onDone?: (objective: Objective, act: Act) => void;
  /** Returns where the focus goes when a dialog closes, if not to where it was before. */
  focusAfter?: () => HTMLElement | null;
}

export function ActDialogs({ objective, act, onClose: close, onDone, focusAfter }: ActDialogsProps) {
  const { client } = useBroker();
  const params = { id: objective.id };
  const told = async (made: Act, change: Promise<Objective>): Promise<Objective> => {
    const changed = await change;
    onDone?.(objective, made);
    return changed;
  };
  const news = useActNews(objective, act);
  const focus = { ...(focusAfter && { focusAfter }) };
  return (
    <>
      <ReasonDialog
        {...focus}
        isOpen={act === 'block'}
        onClose={close}
        news={news}
        title="Block objective"
        description="The members of its thread are told what is missing."
        label="What is missing, and from whom?"
        act="Block"
        isRequired
        maxLength={limits.objective.reason}
        run={(blockReason) =>
          told('block', client.call('updateObjective', { params, body: { status: 'blocked', blockReason } }))
        }
      />
      <ReasonDialog
        {...focus}
        isOpen={act === 'complete'}
        onClose={close}
        news={news}
        title="Complete objective"
        description={`The outcome is achieved: ${plainExcerpt(objective.outcome)}. This is final, and ${objective.originator} is notified.`}
        label="Result"
        act="Complete"
        isRequired
        maxLength={limits.objective.result}
        run={(result) => told('complete', client.call('completeObjective', { params, body: { result } }))}
      />
      <ReasonDialog
        {...focus}
        isOpen={act === 'cancel'}
        onClose={close}
        news={news}
        title="Cancel objective"
        description="No one works on it anymore. This is final, but its history is kept."
        label="Reason (optional)"
        act="Cancel objective"
        isRequired={false}
        isDanger
        maxLength={limits.objective.reason}
        run={(reason) =>
          told('cancel', client.call('cancelObjective', { params, body: { reason: reason || null } }))
        }
      />
      <Dialog
        {...focus}
        isOpen={act === 'reassign'}
        onClose={close}
        title="Reassign objective"
        description={`It is assigned to ${objective.assignee}. Both members are notified.`}
      >
        <ReassignForm objective={objective} news={news} onClose={close} />
      </Dialog>
      <Dialog {...focus} isOpen={act === 'watchers'} onClose={close} title="Watchers">
        <WatchersForm objective={objective} news={news} onClose={close} />
      </Dialog>
    </>
  );
}
