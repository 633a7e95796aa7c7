/** A new run: member, agent, folder, arguments. Folder and program are chosen in dialogs of the app; the page never names a path. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { AgentKindName, AgentPlace, DesktopBridge, RecentAgent } from '../../../electron/bridge.ts';
import { useMay, useRoster } from '../../data/queries.ts';
import { Button } from '../../ui/button.tsx';
import { CopyLine } from '../../ui/copy-button.tsx';
import { Field, SelectInput, TextArea, TextInput } from '../../ui/field.tsx';
import { FormError } from '../../ui/states.tsx';
import { CreateMember } from '../members/create-member.tsx';
import { answered } from './agents-store.ts';
import { PlaceField } from './place-field.tsx';

interface RunFormProps {
  bridge: DesktopBridge;
  /** What to begin with. */
  from: RecentAgent | null;
  onCancel: () => void;
  onStarted: (id: string) => void;
}

export function RunForm({ bridge, from, onCancel, onStarted }: RunFormProps) {
  const mayStart = useMay('approveEnrollment');
  const mayCreateMember = useMay('createMember');
  const { data: roster } = useRoster();
  const kinds = useQuery({
    queryKey: ['agent-kinds'],
    queryFn: () => answered(bridge.agentKinds()),
    // Somebody may have installed one.
    staleTime: 0,
  });
  const [member, setMember] = useState(from?.member ?? '');
  const [kind, setKind] = useState<AgentKindName>(from?.kind ?? 'claude-code');
  const [folder, setFolder] = useState<AgentPlace | null>(from?.folder ?? null);
  const [program, setProgram] = useState<AgentPlace | null>(from?.program ?? null);
  const [args, setArgs] = useState(from?.args.join('\n') ?? '');
  const [isUnattended, setUnattended] = useState(from?.isUnattended ?? false);
  const [modelUrl, setModelUrl] = useState(from?.modelUrl ?? '');
  const [isCreating, setCreating] = useState(false);

  const chosen = kinds.data?.find((one) => one.kind === kind);
  const isMissing = chosen !== undefined && !chosen.isFound;
  const start = useMutation({
    mutationFn: () => {
      if (folder === null) throw new Error('Choose the folder it works in.');
      if (kind === 'command' && program === null) throw new Error('Choose the program to run.');
      return answered(
        bridge.startAgent({
          member,
          kind,
          folder: folder.id,
          program: kind === 'command' ? (program?.id ?? null) : null,
          args: args.split('\n').filter((line) => line !== ''),
          isUnattended,
          modelUrl: modelUrl === '' ? null : modelUrl,
        }),
      );
    },
    onSuccess: onStarted,
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    start.mutate();
  }

  return (
    <>
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <div className="grid gap-4 sm:grid-cols-2">
          <Field
            label="Member"
            hint={
              mayStart
                ? 'It gets a token for this run alone, revoked when it ends.'
                : 'Starting one needs members.manage.'
            }
          >
            <div className="flex gap-2">
              <SelectInput value={member} onChange={(event) => setMember(event.target.value)} required>
                <option value="" disabled>
                  Choose a member
                </option>
                {roster?.teammates.map(({ name, role }) => (
                  <option key={name} value={name}>
                    {name} · {role.title}
                  </option>
                ))}
              </SelectInput>
              {mayCreateMember ? (
                <Button aria-label="New member" onClick={() => setCreating(true)}>
                  New…
                </Button>
              ) : null}
            </div>
          </Field>
          <Field label="Agent" hint={chosen?.version ?? undefined}>
            <SelectInput value={kind} onChange={(event) => setKind(asKind(event.target.value))}>
              {kinds.data === undefined ? <option value={kind}>Looking for agents…</option> : null}
              {(kinds.data ?? []).map((one) => (
                <option key={one.kind} value={one.kind}>
                  {one.isFound ? one.name : `${one.name} (not installed)`}
                </option>
              ))}
            </SelectInput>
          </Field>
        </div>
        <FormError error={kinds.error} />
        {isMissing && chosen.install !== null ? (
          <div className="flex flex-col gap-2 rounded-md border border-line bg-sunken p-3">
            <p className="text-sm">{chosen.name} is not on this computer. This installs it:</p>
            <CopyLine label={`Command that installs ${chosen.name}`} text={chosen.install} />
            <span>
              <Button size="small" isBusy={kinds.isFetching} onClick={() => void kinds.refetch()}>
                Look again
              </Button>
            </span>
          </div>
        ) : null}
        {kind === 'command' ? (
          <PlaceField
            label="Program"
            place={program}
            choose={() => answered(bridge.chooseAgentProgram())}
            onChosen={setProgram}
          />
        ) : null}
        <PlaceField
          label="Folder"
          place={folder}
          choose={() => answered(bridge.chooseAgentFolder())}
          onChosen={setFolder}
        />
        <Field
          label="Arguments for the agent"
          hint="One per line, as they are, without quotes. Other people of this computer can see them: no secrets."
        >
          <TextArea
            rows={2}
            value={args}
            onChange={(event) => setArgs(event.target.value)}
            spellCheck={false}
            className="font-mono"
          />
        </Field>
        <label className="flex items-start gap-2">
          <input
            type="checkbox"
            className="mt-1 accent-(--accent)"
            checked={isUnattended}
            onChange={(event) => setUnattended(event.target.checked)}
          />
          <span>
            <span className="font-medium">Unattended</span>
            <span className="block text-sm text-soft">
              It asks nobody before it changes files or runs programs, with all that your account may do on
              this computer. It is written to its log.
            </span>
          </span>
        </label>
        <details>
          <summary className="cursor-pointer text-sm font-medium">Advanced</summary>
          <div className="pt-2">
            <Field
              label="Model address"
              hint="Where its model requests go; empty: where the agent’s own settings say."
            >
              <TextInput
                type="url"
                value={modelUrl}
                onChange={(event) => setModelUrl(event.target.value)}
                placeholder="https://api.anthropic.com"
              />
            </Field>
          </div>
        </details>
        <FormError error={start.error} />
        <div className="flex justify-end gap-2">
          <Button onClick={onCancel}>Cancel</Button>
          <Button type="submit" look="primary" isBusy={start.isPending} disabled={isMissing}>
            Run
          </Button>
        </div>
      </form>
      <CreateMember isOpen={isCreating} onClose={() => setCreating(false)} onCreated={setMember} />
    </>
  );
}

const asKind = (value: string): AgentKindName =>
  value === 'codex' || value === 'command' ? value : 'claude-code';
