/** What can be done with an objective, each with the reason the specification asks for. Only what the caller may do is offered. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Ban, CircleCheck, CirclePause, CirclePlay, Eye, MoreHorizontal, UserRoundPen } from 'lucide-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { limits } from '#protocol/limits.ts';
import type { Objective } from '#protocol/objective.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { useRoster, useSelf } from '../../data/queries.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, SelectInput, TextArea } from '../../ui/field.tsx';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { FormError } from '../../ui/states.tsx';
import { toastError } from '../../ui/toast.tsx';
import { MemberPicker } from '../members/member-picker.tsx';

type Act = 'block' | 'complete' | 'cancel' | 'reassign' | 'watchers';

function useRights(objective: Objective) {
  const { member, permissions } = useSelf();
  const holds = (leaf: (typeof permissions)[number]) => permissions.includes(leaf);
  const isOpen = objective.status === 'active' || objective.status === 'blocked';
  const isManager = holds('members.manage');
  const isOriginator = objective.originator === member;
  return {
    isOpen,
    mayUpdate: isOpen && (objective.assignee === member || isManager),
    mayComplete: isOpen && objective.assignee === member,
    mayCancel: isOpen && (holds('objectives.cancel') || isOriginator),
    mayReassign: isOpen && isManager,
    mayWatch: isOpen && (holds('objectives.watch') || isOriginator),
  };
}

/** Puts the answer where the screens look, without waiting for the event. */
function useKeep() {
  const cache = useQueryClient();
  return ({ id }: { id: string }) => {
    void cache.invalidateQueries({ queryKey: keys.objective(id) });
    void cache.invalidateQueries({ queryKey: keys.objectives });
  };
}

interface ReasonProps {
  title: string;
  description: string;
  label: string;
  act: string;
  isRequired: boolean;
  isDanger?: boolean;
  maxLength: number;
  run: (text: string) => Promise<Objective>;
  onClose: () => void;
}

function ReasonForm({ label, act, isRequired, isDanger = false, maxLength, run, onClose }: ReasonProps) {
  const [text, setText] = useState('');
  const keep = useKeep();
  const submit = useMutation({
    mutationFn: () => run(text),
    onSuccess: (objective) => {
      keep(objective);
      onClose();
    },
  });
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        submit.mutate();
      }}
    >
      <Field label={label}>
        <TextArea
          value={text}
          onChange={(event) => setText(event.target.value)}
          required={isRequired}
          maxLength={maxLength}
        />
      </Field>
      <FormError error={submit.error} />
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Keep it as it is</Button>
        <Button type="submit" look={isDanger ? 'danger' : 'primary'} isBusy={submit.isPending}>
          {act}
        </Button>
      </div>
    </form>
  );
}

function ReasonDialog(props: ReasonProps & { isOpen: boolean }) {
  return (
    <Dialog isOpen={props.isOpen} onClose={props.onClose} title={props.title} description={props.description}>
      <ReasonForm {...props} />
    </Dialog>
  );
}

function ReassignForm({ objective, onClose }: { objective: Objective; onClose: () => void }) {
  const { client } = useBroker();
  const { data: roster } = useRoster();
  const keep = useKeep();
  const [to, setTo] = useState('');
  const [note, setNote] = useState('');
  const reassign = useMutation({
    mutationFn: () =>
      client.call('reassignObjective', { params: { id: objective.id }, body: { to, note: note || null } }),
    onSuccess: (moved) => {
      keep(moved);
      onClose();
    },
  });
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        reassign.mutate();
      }}
    >
      <Field label="New assignee">
        <SelectInput value={to} onChange={(event) => setTo(event.target.value)} required>
          <option value="">Choose a member</option>
          {(roster?.teammates ?? [])
            .filter(({ name }) => name !== objective.assignee)
            .map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
        </SelectInput>
      </Field>
      <Field label="Note" hint="What the new assignee should know.">
        <TextArea
          value={note}
          onChange={(event) => setNote(event.target.value)}
          maxLength={limits.objective.reason}
        />
      </Field>
      <FormError error={reassign.error} />
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isBusy={reassign.isPending}>
          Reassign
        </Button>
      </div>
    </form>
  );
}

function WatchersForm({ objective, onClose }: { objective: Objective; onClose: () => void }) {
  const { client } = useBroker();
  const { data: roster } = useRoster();
  const keep = useKeep();
  // What somebody else changes meanwhile shows, and is left as it is.
  const [wanted, setWanted] = useState<Record<string, boolean>>({});
  const isWatching = (name: string) => objective.watchers.includes(name);
  const add = Object.keys(wanted).filter((name) => wanted[name] && !isWatching(name));
  const remove = Object.keys(wanted).filter((name) => !wanted[name] && isWatching(name));
  const chosen = [...objective.watchers.filter((name) => !remove.includes(name)), ...add];
  const change = useMutation({
    mutationFn: (body: { add: string[]; remove: string[] }) =>
      client.call('updateWatchers', { params: { id: objective.id }, body }),
    onSuccess: (changed) => {
      keep(changed);
      onClose();
    },
  });
  const members = [
    ...new Set([...(roster?.teammates ?? []).map(({ name }) => name as string), ...objective.watchers]),
  ].filter((name) => name !== objective.assignee);
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate({ add, remove });
      }}
    >
      <MemberPicker
        label="Watchers read the thread and get its notices"
        members={members}
        chosen={chosen}
        onChange={(next) =>
          setWanted({
            ...wanted,
            ...Object.fromEntries(
              members
                .filter((name) => next.includes(name) !== chosen.includes(name))
                .map((name) => [name, next.includes(name)]),
            ),
          })
        }
      />
      <FormError error={change.error} />
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          look="primary"
          isBusy={change.isPending}
          disabled={add.length + remove.length === 0}
        >
          Save watchers
        </Button>
      </div>
    </form>
  );
}

export function ObjectiveActs({ objective }: { objective: Objective }) {
  const { client } = useBroker();
  const rights = useRights(objective);
  const keep = useKeep();
  const [act, setAct] = useState<Act | null>(null);
  const close = () => setAct(null);
  const params = { id: objective.id };
  const unblock = useMutation({
    mutationFn: () => client.call('updateObjective', { params, body: { status: 'active' } }),
    onSuccess: keep,
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
      <ReasonDialog
        isOpen={act === 'block'}
        onClose={close}
        title="Block objective"
        description="Everybody in its thread is told what is missing."
        label="What is missing, and from whom?"
        act="Block"
        isRequired
        maxLength={limits.objective.reason}
        run={(blockReason) =>
          client.call('updateObjective', { params, body: { status: 'blocked', blockReason } })
        }
      />
      <ReasonDialog
        isOpen={act === 'complete'}
        onClose={close}
        title="Complete objective"
        description={`Its outcome is reached: ${objective.outcome}. This is final, and ${objective.originator} is told.`}
        label="Result"
        act="Complete"
        isRequired
        maxLength={limits.objective.result}
        run={(result) => client.call('completeObjective', { params, body: { result } })}
      />
      <ReasonDialog
        isOpen={act === 'cancel'}
        onClose={close}
        title="Cancel objective"
        description="Nobody works on it any more. This is final; its history stays."
        label="Reason (optional)"
        act="Cancel objective"
        isRequired={false}
        isDanger
        maxLength={limits.objective.reason}
        run={(reason) => client.call('cancelObjective', { params, body: { reason: reason || null } })}
      />
      <Dialog
        isOpen={act === 'reassign'}
        onClose={close}
        title="Reassign objective"
        description={`It is with ${objective.assignee} now; both are told.`}
      >
        <ReassignForm objective={objective} onClose={close} />
      </Dialog>
      <Dialog isOpen={act === 'watchers'} onClose={close} title="Watchers">
        <WatchersForm objective={objective} onClose={close} />
      </Dialog>
    </>
  );
}
