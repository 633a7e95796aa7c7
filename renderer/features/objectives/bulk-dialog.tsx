/** Changes several objectives: says which are left out, shows progress, and lists what the broker refused. */
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { MemberName } from '#protocol/ids.ts';
import { limits } from '#protocol/limits.ts';
import type { Objective } from '#protocol/objective.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { refetch } from '../../data/make-change.ts';
import { useOneByOne } from '../../data/one-by-one.ts';
import { useRoster } from '../../data/queries.ts';
import { useSelf } from '../../data/self.tsx';
import { useMutation } from '../../data/use-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, FormActions } from '../../ui/dialog.tsx';
import { Field, FieldForm, TextArea } from '../../ui/field.tsx';
import { useMemberOptions } from '../../ui/member-options.tsx';
import { Select } from '../../ui/select.tsx';
import { toast } from '../../ui/toast.ts';
import { MemberPicker } from '../members/member-picker.tsx';
import {
  type BulkAct,
  bulkResult,
  bulkTitle,
  type LeftOut,
  leftOutSentence,
  sortedOut,
} from './bulk.rules.ts';
import { rightsTo } from './objective-rights.ts';

function Reasons({ title, entries }: { title: string; entries: readonly LeftOut[] }) {
  if (entries.length === 0) return null;
  return (
    <div className="rounded-md border border-line bg-sunken px-3 py-2 text-sm">
      <p className="font-medium">{title}</p>
      <ul className="mt-1 flex max-h-40 flex-col gap-1 overflow-y-auto">
        {entries.map(({ objective, reason }) => (
          <li key={objective.id}>
            <bdi>{objective.title}</bdi>: <span className="text-soft">{reason}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

interface Choice {
  to: string;
  text: string;
  names: readonly string[];
}

interface FieldsProps {
  act: BulkAct;
  choice: Choice;
  onChoice: (change: Partial<Choice>) => void;
}

function Fields({ act, choice, onChoice }: FieldsProps): ReactNode {
  const { data: roster } = useRoster();
  const members = (roster?.teammates ?? []).map(({ name }) => name as string);
  const options = useMemberOptions(members.map((name) => ({ name })));
  if (act === 'watch')
    return (
      <MemberPicker
        label="Watchers read the threads and get their notices"
        members={members}
        chosen={choice.names}
        onChange={(names) => onChoice({ names })}
      />
    );
  const text = (
    <Field label={act === 'cancel' ? 'Reason (optional)' : 'Note (optional)'}>
      <TextArea
        value={choice.text}
        onChange={(event) => onChoice({ text: event.target.value })}
        maxLength={limits.objective.reason}
      />
    </Field>
  );
  if (act === 'cancel') return text;
  return (
    <>
      <Field label="New assignee">
        <Select
          value={choice.to}
          options={options}
          onChoose={(to) => onChoice({ to })}
          placeholder="Choose a member"
        />
      </Field>
      {text}
    </>
  );
}

const buttons: Record<BulkAct, (count: number) => string> = {
  reassign: () => 'Reassign',
  cancel: (count) => bulkTitle('cancel', count),
  watch: () => 'Add watchers',
};

interface FormProps {
  act: BulkAct;
  targets: readonly Objective[];
  leftOut: readonly LeftOut[];
  onClose: () => void;
  onChanged: (changed: readonly Objective[]) => void;
}

function BulkForm({ act, targets, leftOut, onClose, onChanged }: FormProps) {
  const { client } = useBroker();
  const cache = useQueryClient();
  const { progress, run, stop } = useOneByOne<Objective>();
  const [choice, setChoice] = useState<Choice>({ to: '', text: '', names: [] });
  const { to, text, names } = choice;
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
    };
  }, []);
  function change({ id }: Objective): Promise<Objective> {
    const params = { id };
    switch (act) {
      case 'reassign':
        return client.call('reassignObjective', {
          params,
          body: { to: to as MemberName, note: text || null },
        });
      case 'cancel':
        return client.call('cancelObjective', { params, body: { reason: text || null } });
      case 'watch':
        return client.call('updateWatchers', { params, body: { add: names as MemberName[] } });
    }
  }
  const { mutate: start } = useMutation({ mutationFn: changeAll });
  async function changeAll(): Promise<void> {
    const { failures, tried, total } = await run(targets, change);
    for (const { id } of targets) refetch(cache, keys.objective(id));
    refetch(cache, keys.objectives);
    const failed = new Set(failures.map(({ item }) => item.id));
    onChanged(targets.slice(0, tried).filter(({ id }) => !failed.has(id)));
    const isWhole = failures.length === 0 && tried === total;
    if (isWhole || isGone.current) toast(bulkResult(act, tried - failures.length, total));
    if (isWhole) onClose();
  }
  const done = progress === null ? 0 : progress.tried - progress.failures.length;
  if (progress?.isRunning === false && done < progress.total)
    return (
      <div className="flex flex-col gap-4">
        <p role="status">{bulkResult(act, done, progress.total)}.</p>
        <Reasons
          title="The broker refused the others:"
          entries={progress.failures.map(({ item, reason }) => ({ objective: item, reason }))}
        />
        <FormActions>
          <Button look="primary" onClick={onClose}>
            Close
          </Button>
        </FormActions>
      </div>
    );
  const isBusy = progress !== null;
  return (
    <FieldForm onSubmit={() => start()}>
      <Reasons title={leftOutSentence(leftOut.length, leftOut.length + targets.length)} entries={leftOut} />
      {targets.length === 0 && text === '' ? null : (
        <Fields act={act} choice={choice} onChoice={(one) => setChoice({ ...choice, ...one })} />
      )}
      {progress === null ? null : (
        <div role="status" className="flex items-center gap-3 text-sm text-soft">
          <progress value={progress.tried} max={progress.total} aria-label="Progress" className="flex-1" />
          {progress.tried} of {progress.total}
        </div>
      )}
      <FormActions>
        {isBusy ? <Button onClick={stop}>Stop</Button> : <Button onClick={onClose}>Go back</Button>}
        {targets.length === 0 ? null : (
          <Button
            type="submit"
            look={act === 'cancel' ? 'danger' : 'primary'}
            isBusy={isBusy}
            disabled={act === 'watch' && names.length === 0}
          >
            {buttons[act](targets.length)}
          </Button>
        )}
      </FormActions>
    </FieldForm>
  );
}

const descriptions: Record<BulkAct, string> = {
  reassign: 'The former and the new assignee are notified of each.',
  cancel: 'No one works on them anymore. This is final, but their history is kept.',
  watch: 'Nobody who watches already is removed.',
};

export interface BulkDialogProps {
  act: BulkAct;
  /** The selected objectives, as they were when the dialog was opened. */
  selected: readonly Objective[];
  isOpen: boolean;
  onClose: () => void;
  onChanged: (changed: readonly Objective[]) => void;
  focusAfter: () => HTMLElement | null;
}

export function BulkDialog({ act, selected, isOpen, onClose, onChanged, focusAfter }: BulkDialogProps) {
  const self = useSelf();
  const { targets, leftOut } = sortedOut(act, selected, (objective) => rightsTo(objective, self));
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      isHeld
      title={bulkTitle(act, targets.length)}
      description={descriptions[act]}
      focusAfter={focusAfter}
    >
      <BulkForm act={act} targets={targets} leftOut={leftOut} onClose={onClose} onChanged={onChanged} />
    </Dialog>
  );
}
