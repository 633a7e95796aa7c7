/**
 * The database that several machines share, in the desktop app (specification/desktop.md#several-machines). The app never
 * gives its address back, which has a password.
 */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { DatabaseForm, DatabaseView, DesktopBridge } from '../../../electron/bridge.ts';
import { answerOf } from '../../data/desktop-bridge.ts';
import { useMutation } from '../../data/use-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { Field, TextInput } from '../../ui/field.tsx';
import { Section } from '../../ui/page.tsx';
import { ErrorState, FormError } from '../../ui/states.tsx';

/** Null while it is asked for the first time. */
export function DatabasePart({ bridge }: { bridge: DesktopBridge }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['database'],
    queryFn: () => answerOf(bridge.databaseState()),
    retry: false,
  });
  if (data === undefined && error === null) return null;
  return (
    <Section title="Database of several machines">
      {data === undefined ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <div className="flex flex-col gap-4 p-4">
          <Place view={data} />
          {data.obstacle === null ? <Form bridge={bridge} view={data} /> : <p>{sentence(data.obstacle)}</p>}
          {data.source === 'app' ? <Leave bridge={bridge} /> : null}
        </div>
      )}
    </Section>
  );
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

const Fault = ({ error }: { error: Error | null }) => <FormError error={error && sentence(error.message)} />;

function Place({ view: { place } }: { view: DatabaseView }) {
  if (place === null)
    return (
      <p className="text-soft">
        This machine is the only one. With a PostgreSQL database, other machines can stand by and take over
        when this one is off. From then on, nothing is answered while the database cannot be reached.
      </p>
    );
  return (
    <p>
      This team is also in the database <strong className="break-all">{place.database}</strong> on{' '}
      <code className="font-mono break-all">{place.host}</code>.
    </p>
  );
}

const orNull = (text: string): string | null => text.trim() || null;

function Form({ bridge, view }: { bridge: DesktopBridge; view: DatabaseView }) {
  const [url, setUrl] = useState('');
  const [name, setName] = useState(view.name ?? '');
  const [address, setAddress] = useState(view.address ?? '');
  const form = (): DatabaseForm => ({ url: url.trim(), name: orNull(name), address: orNull(address) });
  const testing = useMutation({ mutationFn: () => answerOf(bridge.testDatabase(form())) });
  const saving = useMutation({ mutationFn: () => answerOf(bridge.nameDatabase(form())) });
  const changed = (set: (text: string) => void) => (event: { target: { value: string } }) => {
    set(event.target.value);
    testing.reset();
    saving.reset();
  };
  const plain = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false, dir: 'ltr' } as const;
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        testing.reset();
        saving.mutate();
      }}
    >
      <Field
        label={view.source === null ? 'Address of the database' : 'New address of the database'}
        hint="With the user and the password, such as postgres://muster:password@db.example.com:5432/muster?sslmode=verify-full. This system’s keychain seals it."
      >
        <TextInput
          type="password"
          value={url}
          onChange={changed(setUrl)}
          maxLength={2048}
          required
          {...plain}
        />
      </Field>
      <Field label="Name of this machine" hint="Without one, it is the name of this system.">
        <TextInput value={name} onChange={changed(setName)} maxLength={64} {...plain} />
      </Field>
      <Field
        label="Address for other machines"
        hint="A host and a port, such as 10.0.0.1:8720. It is needed if a firewall is between the machines, or if the database is on this one."
      >
        <TextInput value={address} onChange={changed(setAddress)} maxLength={300} {...plain} />
      </Field>
      <p role="status" className="empty:hidden">
        {testing.isSuccess
          ? 'The database can be used.'
          : saving.data === true
            ? 'The app starts again.'
            : ''}
      </p>
      <Fault error={testing.error ?? saving.error} />
      <div className="flex flex-wrap justify-end gap-2">
        <Button
          isBusy={testing.isPending}
          disabled={url.trim() === ''}
          onClick={() => {
            saving.reset();
            testing.mutate();
          }}
        >
          Test
        </Button>
        <Button type="submit" look="primary" isBusy={saving.isPending} disabled={url.trim() === ''}>
          Save and restart…
        </Button>
      </div>
    </form>
  );
}

function Leave({ bridge }: { bridge: DesktopBridge }) {
  const leaving = useMutation({ mutationFn: () => answerOf(bridge.leaveDatabase()) });
  return (
    <div className="flex flex-col gap-3 border-t border-line pt-4">
      <p className="text-soft">
        To use only this machine again, quit Muster on all other machines first. Everything of the team stays
        here.
      </p>
      <Fault error={leaving.error} />
      <div>
        <Button look="danger" isBusy={leaving.isPending} onClick={() => leaving.mutate()}>
          Go back to one machine…
        </Button>
      </div>
    </div>
  );
}
