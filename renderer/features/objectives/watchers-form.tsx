/** Changes who watches an objective. */
import { useState } from 'react';
import type { Objective } from '#protocol/objective.ts';
import { useBroker } from '../../data/broker.tsx';
import { useRoster } from '../../data/queries.ts';
import { useMutation } from '../../data/use-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { FormActions } from '../../ui/dialog.tsx';
import { FieldForm } from '../../ui/field.tsx';
import { Meanwhile } from '../../ui/meanwhile.tsx';
import { FormError } from '../../ui/states.tsx';
import { MemberPicker } from '../members/member-picker.tsx';
import { useRefreshObjective } from './refresh-objective.ts';

interface WatchersProps {
  objective: Objective;
  /** Sentences about events since the form was opened. */
  news: readonly string[];
  onClose: () => void;
}

export function WatchersForm({ objective, news, onClose }: WatchersProps) {
  const { client } = useBroker();
  const { data: roster } = useRoster();
  const refresh = useRefreshObjective();
  // Holds only the changed check boxes; changes by other members show, and are left as they are.
  const [wanted, setWanted] = useState<Record<string, boolean>>({});
  const isWatching = (name: string) => objective.watchers.includes(name);
  const add = Object.keys(wanted).filter((name) => wanted[name] && !isWatching(name));
  const remove = Object.keys(wanted).filter((name) => !wanted[name] && isWatching(name));
  const chosen = [...objective.watchers.filter((name) => !remove.includes(name)), ...add];
  const change = useMutation({
    mutationFn: (body: { add: string[]; remove: string[] }) =>
      client.call('updateWatchers', { params: { id: objective.id }, body }),
    onSuccess: (changed) => {
      refresh(changed);
      onClose();
    },
  });
  const members = [
    ...new Set([...(roster?.teammates ?? []).map(({ name }) => name as string), ...objective.watchers]),
  ].filter((name) => name !== objective.assignee);
  return (
    <FieldForm onSubmit={() => change.mutate({ add, remove })}>
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
      <Meanwhile sentences={news} />
      <FormError error={change.error} />
      <FormActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          look="primary"
          isBusy={change.isPending}
          disabled={add.length + remove.length === 0}
        >
          Save watchers
        </Button>
      </FormActions>
    </FieldForm>
  );
}
