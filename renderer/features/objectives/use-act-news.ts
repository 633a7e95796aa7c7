/** Changes to an objective, or to the member's rights, while a dialog about it is open. */
import { useState } from 'react';
import type { Objective } from '#protocol/objective.ts';
import { withdrawn } from '../../ui/meanwhile.tsx';
import { nameOfStatus } from '../../ui/status-icon.tsx';
import type { Act } from './act-dialogs.tsx';
import { useObjectiveRights } from './objective-rights.ts';

/** Returns at most one sentence. */
export function useActNews(objective: Objective, act: Act | null): readonly string[] {
  const rights = useObjectiveRights(objective);
  const [opened, setOpened] = useState({ act, objective });
  if (opened.act !== act) setOpened({ act, objective });
  if (act === null) return [];
  const before = opened.objective;
  const { status, assignee, watchers } = objective;
  if (status === 'done' || status === 'cancelled')
    return [`The objective is ${nameOfStatus(status)} now, which is final.`];
  const mayByAct: Record<Act, boolean> = {
    block: rights.mayUpdate,
    complete: rights.mayComplete,
    cancel: rights.mayCancel,
    reassign: rights.mayReassign,
    watchers: rights.mayWatch,
  };
  if (!mayByAct[act]) return [withdrawn];
  if (act === 'block' && status !== before.status) return ['The objective is blocked already.'];
  if (act === 'reassign' && assignee !== before.assignee)
    return [`In the meantime, the objective was assigned to ${assignee}.`];
  if (act === 'watchers' && watchers.join() !== before.watchers.join())
    return ['In the meantime, the watchers have changed.'];
  return [];
}
