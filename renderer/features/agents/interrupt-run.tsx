/** Asks the run of an agent to end the turn under way. The agent is shown as working until its turn has ended. */
import { useEffect } from 'react';
import type { RunPresence } from '#protocol/run.ts';
import { useBroker } from '../../data/broker.tsx';
import { relationsToMember } from '../../data/rights.ts';
import { useMay, useSelf } from '../../data/self.tsx';
import { useMutation } from '../../data/use-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { toastError } from '../../ui/toast.ts';

export interface InterruptRunProps {
  member: string;
  run: RunPresence | undefined;
  isWorking: boolean;
}

/** Renders nothing if there is no run, or if the reader may not interrupt it. */
export function InterruptRun({ member, run, isWorking }: InterruptRunProps) {
  const { client } = useBroker();
  const mayInterrupt = useMay('interruptRun', relationsToMember(member, useSelf().member));
  const { mutate, reset, isPending, isSuccess } = useMutation({
    mutationFn: (since: number) => client.call('interruptRun', { params: { name: member }, body: { since } }),
    onError: toastError,
  });
  useEffect(() => {
    if (!isWorking) reset();
  }, [isWorking, reset]);
  if (run === undefined || !mayInterrupt) return null;
  return (
    <Button
      size="small"
      aria-label={`Interrupt ${member}`}
      title={
        isSuccess
          ? 'The run was asked to interrupt its agent. If a person has the agent in a terminal, that person is told.'
          : 'Ends what the agent does now. It stays, and goes on with the next message.'
      }
      disabled={!isWorking}
      isBusy={isPending}
      onClick={() => mutate(run.since)}
    >
      {isSuccess ? 'Asked to interrupt' : 'Interrupt'}
    </Button>
  );
}
