/** Asks for the name of a saved view. */
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { FormActions } from '../../ui/dialog.tsx';
import { Field, FieldForm, TextInput } from '../../ui/field.tsx';
import { maxViewName, refusalOfName, type SavedView } from './saved-views.rules.ts';

export interface ViewNameFormProps {
  views: readonly SavedView[];
  /** The name of the view that is renamed. */
  present?: string;
  onName: (name: string) => void;
  onClose: () => void;
}

export function ViewNameForm({ views, present, onName, onClose }: ViewNameFormProps) {
  const [name, setName] = useState(present ?? '');
  const [error, setError] = useState<string | undefined>();
  return (
    <FieldForm
      onSubmit={() => {
        const refusal = refusalOfName(views, name, present);
        if (refusal === null) onName(name.trim());
        else setError(refusal);
      }}
    >
      <Field label="Name" error={error}>
        <TextInput
          value={name}
          onChange={(event) => {
            setName(event.target.value);
            setError(undefined);
          }}
          maxLength={maxViewName}
          required
        />
      </Field>
      <FormActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary">
          Save
        </Button>
      </FormActions>
    </FieldForm>
  );
}
