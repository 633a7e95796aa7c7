/** The form that moves or renames a file. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { FsEntry } from '#protocol/files.ts';
import { useBroker } from '../../data/broker.tsx';
import { relationsToPath } from '../../data/rights.ts';
import { useMay, useSelf } from '../../data/self.tsx';
import { useMutation } from '../../data/use-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { FormActions } from '../../ui/dialog.tsx';
import { Field, FieldForm, TextInput } from '../../ui/field.tsx';
import { Meanwhile, withdrawn } from '../../ui/meanwhile.tsx';
import { FormError } from '../../ui/states.tsx';

export function MoveForm({ entry, onClose }: { entry: FsEntry; onClose: (path?: string) => void }) {
  const { client } = useBroker();
  const cache = useQueryClient();
  const [to, setTo] = useState(entry.path);
  const may = useMay('moveFile', relationsToPath(entry.path, useSelf().member));
  const move = useMutation({
    mutationFn: () => client.call('moveFile', { body: { from: entry.path, to } }),
    onSuccess: async ({ entry: moved }) => {
      await cache.invalidateQueries({ queryKey: ['files'] });
      onClose(moved.path);
    },
  });
  return (
    <FieldForm className="flex flex-col gap-3" onSubmit={() => move.mutate()}>
      <Field label="New path" hint="Moving the file does not change who can read it.">
        <TextInput
          value={to}
          onChange={(event) => setTo(event.target.value)}
          required
          className="font-mono"
        />
      </Field>
      <Meanwhile sentences={may ? [] : [withdrawn]} />
      <FormError error={move.error} />
      <FormActions>
        <Button onClick={() => onClose()}>Cancel</Button>
        <Button type="submit" look="primary" isBusy={move.isPending} disabled={to === entry.path}>
          Move
        </Button>
      </FormActions>
    </FieldForm>
  );
}
