/**
 * The database that several machines share, in the desktop app (specification/desktop.md#several-machines). The app never
 * gives its address back, which has a password.
 */
import { useQuery } from '@tanstack/react-query';
import type { DatabaseView, DesktopBridge } from '../../../electron/bridge.ts';
import { answerOf } from '../../data/desktop-bridge.ts';
import { useMutation } from '../../data/use-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/page.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { DatabaseForm, Fault, sentence } from './database-form.tsx';

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
          {data.obstacle === null ? (
            <DatabaseForm
              label={data.source === null ? 'Address of the database' : 'New address of the database'}
              start={data}
              test={(values) => answerOf(bridge.testDatabase(values))}
              usable="The database can be used."
              save={(values) => answerOf(bridge.nameDatabase(values))}
              saveLabel="Save and restart…"
            />
          ) : (
            <p>{sentence(data.obstacle)}</p>
          )}
          {data.source === 'app' ? <Leave bridge={bridge} /> : null}
        </div>
      )}
    </Section>
  );
}

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
