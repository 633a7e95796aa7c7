/** The actions on an objective. It offers only those that the member may perform. */
import { useMutation } from '@tanstack/react-query';
import { Ban, CircleCheck, CirclePause, CirclePlay, Eye, MoreHorizontal, UserRoundPen } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Objective } from '#protocol/objective.ts';
import { useBroker } from '../../data/broker.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { toastError } from '../../ui/toast.tsx';
import { type Act, ActDialogs } from './act-dialogs.tsx';
import { useObjectiveRights } from './objective-rights.ts';
import { useRefreshObjective } from './refresh-objective.ts';

export function ObjectiveActs({ objective }: { objective: Objective }) {
  const { client } = useBroker();
  const rights = useObjectiveRights(objective);
  const refresh = useRefreshObjective();
  const [act, setAct] = useState<Act | null>(null);
  const unblock = useMutation({
    mutationFn: () =>
      client.call('updateObjective', { params: { id: objective.id }, body: { status: 'active' } }),
    onSuccess: refresh,
    onError: toastError,
  });
  const more: MenuItem[] = [
    ...(rights.mayWatch
      ? [{ label: 'Change watchers', icon: <Eye />, onSelect: () => setAct('watchers') }]
      : []),
    ...(rights.mayReassign
      ? [{ label: 'Reassign', icon: <UserRoundPen />, onSelect: () => setAct('reassign') }]
      : []),
    ...(rights.mayCancel
      ? [{ label: 'Cancel objective', icon: <Ban />, isDanger: true, onSelect: () => setAct('cancel') }]
      : []),
  ];
  const buttons: ReactNode[] = [
    rights.mayComplete ? (
      <Button key="complete" look="primary" onClick={() => setAct('complete')}>
        <CircleCheck className="size-4" />
        Complete
      </Button>
    ) : null,
    rights.mayUpdate && objective.status === 'active' ? (
      <Button key="block" onClick={() => setAct('block')}>
        <CirclePause className="size-4" />
        Block
      </Button>
    ) : null,
    rights.mayUpdate && objective.status === 'blocked' ? (
      <Button key="unblock" isBusy={unblock.isPending} onClick={() => unblock.mutate()}>
        <CirclePlay className="size-4" />
        Unblock
      </Button>
    ) : null,
  ];
  return (
    <>
      {buttons}
      {more.length === 0 ? null : (
        <Menu
          trigger={
            <IconButton label="More">
              <MoreHorizontal />
            </IconButton>
          }
          items={more}
        />
      )}
      <ActDialogs objective={objective} act={act} onClose={() => setAct(null)} />
    </>
  );
}
