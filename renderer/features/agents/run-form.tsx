/**
 * A new run: member, agent, folder, and arguments. Folder and program are chosen in the app's dialogs; the
 * page never supplies a path.
 */
import { useState } from 'react';
import type { AgentPlace, DesktopBridge, RecentAgent } from '../../../electron/bridge.ts';
import { type AgentKindId, agentKindOf, agentKinds } from '../../../runner/agents/agent-kinds.ts';
import { answerOf } from '../../data/desktop-bridge.ts';
import { useMutation } from '../../data/use-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { FormActions } from '../../ui/dialog.tsx';
import { FieldForm } from '../../ui/field.tsx';
import { FormError } from '../../ui/states.tsx';
import { CreateMember } from '../members/create-member.tsx';
import { AgentSelect, MissingAgent, useAgentKinds } from './agent-select.tsx';
import { PlaceField } from './place-field.tsx';
import { RunMember } from './run-member.tsx';
import { RunOptionFields, type RunOptions } from './run-options.tsx';

interface RunFormProps {
  bridge: DesktopBridge;
  /** The initial choices. */
  from: RecentAgent | null;
  onCancel: () => void;
  onStarted: (id: string) => void;
}

export function RunForm({ bridge, from, onCancel, onStarted }: RunFormProps) {
  const kinds = useAgentKinds(bridge);
  const [member, setMember] = useState(from?.member ?? '');
  const [kind, setKind] = useState<AgentKindId>(from?.kind ?? agentKinds[0].id);
  const [folder, setFolder] = useState<AgentPlace | null>(from?.folder ?? null);
  const [program, setProgram] = useState<AgentPlace | null>(from?.program ?? null);
  const [options, setOptions] = useState<RunOptions>({
    args: from?.args.join('\n') ?? '',
    isUnattended: from?.isUnattended ?? false,
    modelUrl: from?.modelUrl ?? '',
  });
  const [isCreating, setCreating] = useState(false);
  const isProgramChosen = agentKindOf(kind).install === null;
  const isMissing = kinds.data?.some((one) => one.kind === kind && !one.isFound) ?? false;
  const start = useMutation({
    mutationFn: () => {
      if (folder === null) throw new Error('Choose the folder in which the agent works.');
      if (isProgramChosen && program === null) throw new Error('Choose the program to run.');
      const { args, isUnattended, modelUrl } = options;
      return answerOf(
        bridge.startAgent({
          member,
          kind,
          folder: folder.id,
          program: isProgramChosen ? (program?.id ?? null) : null,
          args: args.split('\n').filter((line) => line !== ''),
          isUnattended,
          modelUrl: modelUrl === '' ? null : modelUrl,
        }),
      );
    },
    onSuccess: onStarted,
  });
  return (
    <>
      <FieldForm onSubmit={() => start.mutate()}>
        <div className="grid gap-4 sm:grid-cols-2">
          <RunMember member={member} onMember={setMember} onCreate={() => setCreating(true)} />
          <AgentSelect kinds={kinds.data} kind={kind} onKind={setKind} />
        </div>
        <FormError error={kinds.error} />
        <MissingAgent kinds={kinds} kind={kind} />
        {isProgramChosen ? (
          <PlaceField
            label="Program"
            place={program}
            choose={() => answerOf(bridge.chooseAgentProgram())}
            onChosen={setProgram}
          />
        ) : null}
        <PlaceField
          label="Folder"
          place={folder}
          choose={() => answerOf(bridge.chooseAgentFolder())}
          onChosen={setFolder}
        />
        <RunOptionFields options={options} onOptions={setOptions} />
        <FormError error={start.error} />
        <FormActions>
          <Button onClick={onCancel}>Cancel</Button>
          <Button type="submit" look="primary" isBusy={start.isPending} disabled={isMissing}>
            Run
          </Button>
        </FormActions>
      </FieldForm>
      {/* Outside of the form, so that submitting this dialog does not start the run. */}
      <CreateMember isOpen={isCreating} onClose={() => setCreating(false)} onCreated={setMember} />
    </>
  );
}
