/** The actions on an objective. It offers only those that the member may perform, and first the one that the objective needs. */
import { useNavigate } from '@tanstack/react-router';
import {
  Ban,
  Check,
  CircleCheck,
  CirclePause,
  CirclePlay,
  Eye,
  MoreHorizontal,
  Reply,
  UserRoundPen,
} from 'lucide-react';
import { type ReactNode, useCallback, useMemo, useRef, useState } from 'react';
import type { Objective } from '#protocol/objective.ts';
import { formatScope } from '#protocol/scope.ts';
import { useScreenCommands } from '../../commands/screen-commands.ts';
import { useBroker } from '../../data/broker.tsx';
import { useMutation } from '../../data/use-mutation.ts';
import { IconButton } from '../../ui/button.tsx';
import { besideOf } from '../../ui/focus-beside.ts';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { toastError } from '../../ui/toast.ts';
import { askToWrite } from '../conversations/asked-to-write.ts';
import { useInboxActions } from '../inbox/use-inbox.ts';
import { ActButton, ActGroup, afterActs } from './act-button.tsx';
import { type Act, ActDialogs } from './act-dialogs.tsx';
import { type ObjectiveRights, useObjectiveRights } from './objective-rights.ts';
import { useRefreshObjective } from './refresh-objective.ts';
import { useNeed } from './use-need.ts';

interface ObjectiveActsProps {
  objective: Objective;
  /** Its thread is beside it. */
  hasThread?: boolean;
  /** More for the menu, for everybody. */
  items?: readonly MenuItem[];
}

/** Leads to the text field of the thread. */
function AnswerButton({ id, hasThread }: { id: string; hasThread: boolean }) {
  const navigate = useNavigate();
  function answer(): void {
    askToWrite(formatScope({ kind: 'objective', objectiveId: id }));
    if (!hasThread) void navigate({ to: '/app/objectives/$id', params: { id }, replace: true });
  }
  return (
    <ActButton data-act="answer" look="primary" onClick={answer}>
      <Reply className="size-4" />
      Answer
    </ActButton>
  );
}

interface ActKeys {
  mayComplete: boolean;
  mayBlock: boolean;
  ask: (act: Act) => void;
}

function useActCommands({ mayComplete, mayBlock, ask }: ActKeys): void {
  const commands = useMemo(
    () => [
      ...(mayComplete
        ? [
            {
              id: 'complete-objective',
              title: 'Complete the objective',
              keys: 'f',
              run: () => ask('complete'),
            },
          ]
        : []),
      ...(mayBlock
        ? [{ id: 'block-objective', title: 'Block the objective', keys: 'b', run: () => ask('block') }]
        : []),
    ],
    [mayComplete, mayBlock, ask],
  );
  useScreenCommands(commands);
}

function menuOf(
  rights: ObjectiveRights,
  isBlockedFromMenu: boolean,
  ask: (act: Act) => void,
  items: readonly MenuItem[],
): MenuItem[] {
  return [
    ...(isBlockedFromMenu
      ? [{ label: 'Block objective', icon: <CirclePause />, onSelect: () => ask('block') }]
      : []),
    ...(rights.mayWatch
      ? [{ label: 'Change watchers', icon: <Eye />, onSelect: () => ask('watchers') }]
      : []),
    ...(rights.mayReassign
      ? [{ label: 'Reassign', icon: <UserRoundPen />, onSelect: () => ask('reassign') }]
      : []),
    ...(rights.mayCancel
      ? [{ label: 'Cancel objective', icon: <Ban />, isDanger: true, onSelect: () => ask('cancel') }]
      : []),
    ...items,
  ];
}

export function ObjectiveActs({ objective, hasThread = false, items = [] }: ObjectiveActsProps) {
  const { client } = useBroker();
  const rights = useObjectiveRights(objective);
  const refresh = useRefreshObjective();
  const { act: first, result } = useNeed(objective);
  const { mark } = useInboxActions();
  const [act, setAct] = useState<Act | null>(null);
  const group = useRef<HTMLElement>(null);
  /** The element that had the focus when the dialog was asked for; the page itself after a key without a focus. */
  const opener = useRef<Element | null>(null);
  /** The button that was pressed, or the one of a key. */
  const pressed = useRef<Act | 'more' | null>(null);
  /** For a dialog after which no action is left. */
  const otherwise = useRef<HTMLElement | null>(null);
  const ask = useCallback((next: Act) => {
    opener.current = document.activeElement;
    pressed.current = opener.current?.closest('[role="menu"]') ? 'more' : next;
    otherwise.current = (group.current && besideOf(group.current, afterActs)) ?? null;
    setAct(next);
  }, []);
  function focusAfter(): HTMLElement | null {
    const from = opener.current;
    if (from instanceof HTMLElement && from.isConnected && from !== document.body) return from;
    const named = (name: string | null) =>
      group.current?.querySelector<HTMLElement>(`[data-act="${name}"]`) ?? null;
    return named(pressed.current) ?? named('more') ?? otherwise.current;
  }
  const unblock = useMutation({
    mutationFn: () =>
      client.call('updateObjective', { params: { id: objective.id }, body: { status: 'active' } }),
    onSuccess: refresh,
    onError: toastError,
  });
  const { mayComplete } = rights;
  const mayBlock = rights.mayUpdate && objective.status === 'active';
  useActCommands({ mayComplete, mayBlock, ask });
  const lookOf = (one: typeof first) => (one === first ? 'primary' : 'secondary');
  /** An objective of somebody else is blocked from the menu, because it seldom needs that. */
  const isBlockedFromMenu = mayBlock && !mayComplete;
  const more = menuOf(rights, isBlockedFromMenu, ask, items);
  const buttons: ReactNode[] = [
    result === null ? null : (
      <ActButton key="clear" data-act="clear" look="primary" onClick={() => mark([result], null)}>
        <Check className="size-4" />
        Clear from inbox
      </ActButton>
    ),
    first === 'answer' ? <AnswerButton key="answer" id={objective.id} hasThread={hasThread} /> : null,
    mayComplete ? (
      <ActButton key="complete" data-act="complete" look={lookOf('complete')} onClick={() => ask('complete')}>
        <CircleCheck className="size-4" />
        Complete
      </ActButton>
    ) : null,
    // One button, which keeps the focus when its action is done.
    rights.mayUpdate && !isBlockedFromMenu ? (
      <ActButton
        key="block"
        data-act="block"
        look={mayBlock ? 'secondary' : lookOf('unblock')}
        isBusy={unblock.isPending}
        onClick={() => (mayBlock ? ask('block') : unblock.mutate())}
      >
        {mayBlock ? <CirclePause className="size-4" /> : <CirclePlay className="size-4" />}
        {mayBlock ? 'Block' : 'Unblock'}
      </ActButton>
    ) : null,
  ];
  return (
    <>
      {more.length === 0 && buttons.every((one) => one === null) ? null : (
        <ActGroup group={group}>
          {buttons}
          {more.length === 0 ? null : (
            <Menu
              trigger={
                <IconButton label="More" data-act="more" className="max-sm:size-11">
                  <MoreHorizontal />
                </IconButton>
              }
              items={more}
            />
          )}
        </ActGroup>
      )}
      <ActDialogs objective={objective} act={act} onClose={() => setAct(null)} focusAfter={focusAfter} />
    </>
  );
}
