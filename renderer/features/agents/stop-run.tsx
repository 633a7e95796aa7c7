/** Asks the run of an agent to end. The display changes only when the run reports that it has. */
import { useState } from 'react';
import type { RunPresence } from '#protocol/run.ts';
import { useBroker } from '../../data/broker.tsx';
import { relationsToMember } from '../../data/rights.ts';
import { useMay, useSelf } from '../../data/self.tsx';
import { useMutation } from '../../data/use-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { mayNot } from '../../ui/meanwhile.tsx';

/** Renders nothing if there is no run, or if the reader may not stop it. */
export function StopRun({ member, run }: { member: string; run: RunPresence | undefined }) {
  const { client } = useBroker();
  const mayStop = useMay('stopRun', relationsToMember(member, useSelf().member));
  /** The run about which the question is. */
  const [asked, setAsked] = useState<RunPresence | null>(null);
  const stop = useMutation({
    mutationFn: (since: number) => client.call('stopRun', { params: { name: member }, body: { since } }),
    onSuccess: () => setAsked(null),
  });
  const isAsked = run !== undefined && stop.isSuccess && stop.variables === run.since;
  return (
    <>
      {run === undefined || !mayStop ? null : (
        <Button
          size="small"
          aria-label={`Stop ${member}`}
          title={isAsked ? 'The run was asked to stop and has not ended yet' : undefined}
          onClick={() => setAsked(run)}
        >
          {isAsked ? 'Asked to stop' : 'Stop…'}
        </Button>
      )}
      <Confirm
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
        title={`Stop ${member}?`}
        consequence={`The run on ${asked?.host ?? ''} is asked to end at its next check-in, usually within 15 seconds. It stops its agent, even in the middle of a task. To start it again, somebody has to run it.`}
        act={`Stop ${member}`}
        change={stop}
        news={mayStop ? (run?.since === asked?.since ? undefined : 'This run has ended.') : mayNot}
        onConfirm={() => asked !== null && stop.mutate(asked.since)}
      />
    </>
  );
}
