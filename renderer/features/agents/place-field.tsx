/** A folder or a program that is chosen in a system dialog. */

import type { AgentPlace } from '../../../electron/bridge.ts';
import { useMutation } from '../../data/use-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { Field, TextInput } from '../../ui/field.tsx';
import { FormError } from '../../ui/states.tsx';

interface PlaceFieldProps {
  label: string;
  place: AgentPlace | null;
  choose: () => Promise<AgentPlace | null>;
  onChosen: (place: AgentPlace) => void;
}

export function PlaceField({ label, place, choose, onChosen }: PlaceFieldProps) {
  const pick = useMutation({
    mutationFn: choose,
    onSuccess: (chosen) => {
      if (chosen !== null) onChosen(chosen);
    },
  });
  return (
    <div className="flex flex-col gap-1">
      <Field label={label}>
        <div className="flex gap-2">
          <TextInput readOnly value={place?.path ?? ''} placeholder="Not chosen" className="font-mono" />
          <Button
            aria-label={`Choose the ${label.toLowerCase()}`}
            isBusy={pick.isPending}
            onClick={() => pick.mutate()}
          >
            Choose…
          </Button>
        </div>
      </Field>
      <FormError error={pick.error} />
    </div>
  );
}
