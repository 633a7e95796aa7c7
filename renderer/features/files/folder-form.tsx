/** The form for a new folder. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useBroker } from '../../data/broker.tsx';
import { relationsToPath } from '../../data/rights.ts';
import { useMay, useSelf } from '../../data/self.tsx';
import { useMutation } from '../../data/use-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { FormActions } from '../../ui/dialog.tsx';
import { Field, FieldForm, TextInput } from '../../ui/field.tsx';
import { Meanwhile, withdrawn } from '../../ui/meanwhile.tsx';
import { FormError } from '../../ui/states.tsx';

export function FolderForm({ directory, onClose }: { directory: string; onClose: () => void }) {
  const { client } = useBroker();
  const cache = useQueryClient();
  const [name, setName] = useState('');
  const may = useMay('makeDirectory', relationsToPath(directory, useSelf().member));
  const make = useMutation({
    mutationFn: () => client.call('makeDirectory', { body: { path: `${directory}/${name}` } }),
    onSuccess: async () => {
      onClose();
      await cache.invalidateQueries({ queryKey: ['files'] });
    },
  });
  return (
    <FieldForm className="flex flex-col gap-3" onSubmit={() => make.mutate()}>
      <Field label="Name">
        <TextInput value={name} onChange={(event) => setName(event.target.value)} required />
      </Field>
      <Meanwhile sentences={may ? [] : [withdrawn]} />
      <FormError error={make.error} />
      <FormActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isBusy={make.isPending}>
          Create folder
        </Button>
      </FormActions>
    </FieldForm>
  );
}
