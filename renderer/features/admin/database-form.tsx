/**
 * The form that names the database of several machines in the desktop app, for a manager and for a machine that joins
 * (specification/desktop.md#several-machines).
 */
import { type ReactNode, useState } from 'react';
import type { DatabaseForm as Values } from '../../../electron/bridge.ts';
import { useMutation } from '../../data/use-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { Field, FieldForm, TextInput } from '../../ui/field.tsx';
import { FormError } from '../../ui/states.tsx';

export interface DatabaseFormProps {
  /** Of the field for the address. */
  label: string;
  /** The first content of the fields. */
  start?: { name: string | null; address: string | null };
  /** Shown after the address. The form resets what it said when one of these fields changes. */
  moreFields?: (changed: () => void) => ReactNode;
  /** Whether those fields are filled in. */
  isComplete?: boolean;
  test: (values: Values) => Promise<null>;
  /** Said after a test that found nothing. */
  usable: string;
  save: (values: Values) => Promise<boolean>;
  /** The text of the button that saves. */
  saveLabel: string;
  onBack?: () => void;
}

/** Of fields whose text is neither words nor known to the browser. */
export const plainText = {
  autoComplete: 'off',
  autoCapitalize: 'none',
  spellCheck: false,
  dir: 'ltr',
} as const;

export const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

export const Fault = ({ error }: { error: Error | null }) => (
  <FormError error={error && sentence(error.message)} />
);

const orNull = (text: string): string | null => text.trim() || null;

export function DatabaseForm(props: DatabaseFormProps) {
  const { label, start, moreFields, isComplete = true, test, usable, save, saveLabel, onBack } = props;
  const [url, setUrl] = useState('');
  const [name, setName] = useState(start?.name ?? '');
  const [address, setAddress] = useState(start?.address ?? '');
  const values = (): Values => ({ url: url.trim(), name: orNull(name), address: orNull(address) });
  const testing = useMutation({ mutationFn: () => test(values()) });
  const saving = useMutation({ mutationFn: () => save(values()) });
  const reset = () => {
    testing.reset();
    saving.reset();
  };
  const changed = (set: (text: string) => void) => (event: { target: { value: string } }) => {
    set(event.target.value);
    reset();
  };
  const isDisabled = url.trim() === '' || !isComplete;
  return (
    <FieldForm
      onSubmit={() => {
        testing.reset();
        saving.mutate();
      }}
    >
      <Field
        label={label}
        hint="With the user and the password, such as postgres://muster:password@db.example.com:5432/muster?sslmode=verify-full. This system’s keychain seals it."
      >
        <TextInput
          type="password"
          value={url}
          onChange={changed(setUrl)}
          maxLength={2048}
          autoFocus={onBack !== undefined}
          required
          {...plainText}
        />
      </Field>
      {moreFields?.(reset)}
      <Field label="Name of this machine" hint="Without one, it is the name of this system.">
        <TextInput value={name} onChange={changed(setName)} maxLength={64} {...plainText} />
      </Field>
      <Field
        label="Address for other machines"
        hint="A host and a port, such as 10.0.0.1:8720. It is needed if a firewall is between the machines, or if the database is on this one."
      >
        <TextInput value={address} onChange={changed(setAddress)} maxLength={300} {...plainText} />
      </Field>
      <p role="status" className="empty:hidden">
        {testing.isSuccess ? usable : saving.data === true ? 'The app starts again.' : ''}
      </p>
      <Fault error={testing.error ?? saving.error} />
      <div className="flex flex-wrap justify-end gap-2">
        {onBack === undefined ? null : (
          <Button className="me-auto" onClick={onBack}>
            Back
          </Button>
        )}
        <Button
          isBusy={testing.isPending}
          disabled={isDisabled}
          onClick={() => {
            saving.reset();
            testing.mutate();
          }}
        >
          Test
        </Button>
        <Button type="submit" look="primary" isBusy={saving.isPending} disabled={isDisabled}>
          {saveLabel}
        </Button>
      </div>
    </FieldForm>
  );
}
