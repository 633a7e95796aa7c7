/**
 * Instead of setting a team up, this machine joins one that several machines have (specification/desktop.md#joining-a-team).
 * Only the desktop app offers it.
 */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { DesktopBridge } from '../../../electron/bridge.ts';
import { answerOf } from '../../data/desktop-bridge.ts';
import { Button } from '../../ui/button.tsx';
import { Field, TextInput } from '../../ui/field.tsx';
import { DatabaseForm, plainText, sentence } from '../admin/database-form.tsx';

export function JoinStep({ bridge, onBack }: { bridge: DesktopBridge; onBack: () => void }) {
  const [key, setKey] = useState('');
  const {
    data: obstacle,
    error,
    isPending,
  } = useQuery({
    queryKey: ['join'],
    queryFn: () => answerOf(bridge.joinObstacle()),
    retry: false,
  });
  if (isPending) return null;
  const reason = error === null ? obstacle : error.message;
  if (typeof reason === 'string')
    return (
      <div className="flex flex-col gap-4">
        <p role="alert">{sentence(reason)}</p>
        <div>
          <Button autoFocus onClick={onBack}>
            Back
          </Button>
        </div>
      </div>
    );
  const withKey = <Values extends object>(values: Values) => ({ ...values, key: key.trim() });
  return (
    <div className="flex flex-col gap-4">
      <p className="text-soft">
        This machine becomes one of several that share a PostgreSQL database. It copies everything of their
        team, and takes over when no other one is active.
      </p>
      <DatabaseForm
        label="Address of the database"
        moreFields={(changed) => (
          <Field
            label="Key of the team"
            hint="It is the recovery key that a manager exports in the app on the active machine, under Admin, Backup and retention. On a server, it is the text in svc.json.kek."
          >
            <TextInput
              type="password"
              value={key}
              onChange={(event) => {
                setKey(event.target.value);
                changed();
              }}
              maxLength={64}
              required
              {...plainText}
            />
          </Field>
        )}
        isComplete={key.trim() !== ''}
        test={(values) => answerOf(bridge.testJoin(withKey(values)))}
        usable="The team can be joined."
        save={(values) => answerOf(bridge.joinTeam(withKey(values)))}
        saveLabel="Join and restart…"
        onBack={onBack}
      />
    </div>
  );
}
