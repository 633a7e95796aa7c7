/** The second step: the first member, who holds every permission. */
import { limits } from '#protocol/limits.ts';
import { Button } from '../../ui/button.tsx';
import { Field, FieldForm, TextInput } from '../../ui/field.tsx';
import { FormError } from '../../ui/states.tsx';

export interface Operator {
  name: string;
  /** The title of the role. */
  title: string;
}

export interface OperatorStepProps {
  admin: Operator;
  onAdmin: (admin: Operator) => void;
  error: Error | null;
  isBusy: boolean;
  onBack: () => void;
  onNext: () => void;
}

export function OperatorStep({ admin, onAdmin, error, isBusy, onBack, onNext }: OperatorStepProps) {
  return (
    <FieldForm onSubmit={onNext}>
      <Field label="Your name" hint="Letters, digits, dots, hyphens, and underscores.">
        <TextInput
          value={admin.name}
          onChange={(event) => onAdmin({ ...admin, name: event.target.value })}
          maxLength={limits.memberName}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
        />
      </Field>
      <Field label="Your role">
        <TextInput
          value={admin.title}
          onChange={(event) => onAdmin({ ...admin, title: event.target.value })}
          maxLength={limits.roleTitle}
          required
        />
      </Field>
      <p className="text-soft">You get every permission, and can grant permissions to others later.</p>
      <FormError error={error} />
      <div className="flex justify-between">
        <Button onClick={onBack}>Back</Button>
        <Button type="submit" look="primary" isBusy={isBusy}>
          Next
        </Button>
      </div>
    </FieldForm>
  );
}
