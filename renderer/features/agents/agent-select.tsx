/** Selects the kind of agent to run, and explains how to install one that is missing. */
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { AgentKindView, DesktopBridge } from '../../../electron/bridge.ts';
import type { AgentKindId } from '../../../runner/agents/agent-kinds.ts';
import { answerOf } from '../../data/desktop-bridge.ts';
import { Button } from '../../ui/button.tsx';
import { CopyLine } from '../../ui/copy-button.tsx';
import { Field } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';

export const useAgentKinds = (bridge: DesktopBridge): UseQueryResult<AgentKindView[]> =>
  useQuery({
    queryKey: ['agent-kinds'],
    queryFn: () => answerOf(bridge.agentKinds()),
    // An agent may have been installed since.
    staleTime: 0,
  });

export interface AgentSelectProps {
  /** Undefined while the app looks for them. */
  kinds: readonly AgentKindView[] | undefined;
  kind: AgentKindId;
  onKind: (kind: AgentKindId) => void;
}

export function AgentSelect({ kinds, kind, onKind }: AgentSelectProps) {
  const chosen = kinds?.find((one) => one.kind === kind);
  return (
    <Field label="Agent" hint={chosen?.version ?? undefined}>
      <Select
        value={kind}
        options={
          kinds?.map((one) => ({
            value: one.kind,
            text: one.isFound ? one.name : `${one.name} (not installed)`,
          })) ?? [{ value: kind, text: 'Looking for agents…' }]
        }
        onChoose={onKind}
      />
    </Field>
  );
}

/** Renders nothing for a kind that is installed or that has no install command. */
export function MissingAgent({ kinds, kind }: { kinds: UseQueryResult<AgentKindView[]>; kind: AgentKindId }) {
  const chosen = kinds.data?.find((one) => one.kind === kind);
  if (chosen === undefined || chosen.isFound || chosen.install === null) return null;
  return (
    <div className="flex flex-col gap-2 rounded-md border border-line bg-sunken p-3">
      <p className="text-sm">{chosen.name} is not installed on this computer. To install it, run:</p>
      <CopyLine label={`Install command for ${chosen.name}`} text={chosen.install} />
      <span>
        <Button size="small" isBusy={kinds.isFetching} onClick={() => void kinds.refetch()}>
          Check again
        </Button>
      </span>
    </div>
  );
}
