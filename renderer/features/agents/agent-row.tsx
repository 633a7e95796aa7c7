/** One agent on this computer: its member, kind, folder, state, and actions. */
import { RotateCw, Square, Trash2 } from 'lucide-react';
import type { AgentView, DesktopBridge } from '../../../electron/bridge.ts';
import { agentName } from '../../../runner/agents/agent-kinds.ts';
import { answerOf } from '../../data/desktop-bridge.ts';
import { useMutation } from '../../data/use-mutation.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { toastError } from '../../ui/toast.ts';
import { stateOf } from './agent-state.ts';

interface AgentRowProps {
  bridge: DesktopBridge;
  agent: AgentView;
  isOpen: boolean;
  onOpen: () => void;
  onRestarted: (id: string) => void;
}

export function AgentRow({ bridge, agent, isOpen, onOpen, onRestarted }: AgentRowProps) {
  const { id, member, folder, state, lastLine, isStopped } = agent;
  const stop = useMutation({ mutationFn: () => answerOf(bridge.stopAgent(id)), onError: toastError });
  const restart = useMutation({
    mutationFn: () => answerOf(bridge.restartAgent(id)),
    onSuccess: onRestarted,
    onError: toastError,
  });
  const takeOver = useMutation({
    mutationFn: () => answerOf(bridge.takeOverAgent(id)),
    onSuccess: onRestarted,
    onError: toastError,
  });
  const remove = useMutation({ mutationFn: () => answerOf(bridge.removeAgent(id)), onError: toastError });
  const { word, tone } = stateOf(agent);
  const hasEnded = state === 'ended';
  return (
    <li
      className={cx(
        'flex items-center gap-1 border-b border-line pr-2 last:border-0',
        isOpen && 'bg-selected',
      )}
    >
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={onOpen}
        className="flex min-w-0 flex-1 items-center gap-3 px-4 py-2 text-left hover:bg-hover"
      >
        <Avatar name={member} />
        <span className="min-w-0 flex-1">
          <span className="block wrap-anywhere">
            <span className="font-medium">{member}</span>{' '}
            <span className="text-soft">{agent.agent ?? agentName(agent.kind, agent.program)}</span>
          </span>
          <span className="block truncate text-sm text-soft" title={folder}>
            {hasEnded && !isStopped && lastLine !== null ? lastLine : folder}
          </span>
        </span>
        {agent.isUnattended ? <Badge tone="critical">unattended</Badge> : null}
        <Badge tone={tone}>{word}</Badge>
      </button>
      {agent.isHeldElsewhere ? (
        <Button size="small" isBusy={takeOver.isPending} onClick={() => takeOver.mutate()}>
          Take over
        </Button>
      ) : null}
      <IconButton
        label={`Restart ${member}`}
        disabled={restart.isPending || state === 'stopping'}
        onClick={() => restart.mutate()}
      >
        <RotateCw />
      </IconButton>
      {hasEnded ? (
        <IconButton label={`Remove ${member} from the list`} onClick={() => remove.mutate()}>
          <Trash2 />
        </IconButton>
      ) : (
        <IconButton
          label={`Stop ${member}`}
          disabled={stop.isPending || state === 'stopping'}
          onClick={() => stop.mutate()}
        >
          <Square />
        </IconButton>
      )}
    </li>
  );
}
