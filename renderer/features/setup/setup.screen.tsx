/** First start: team, operator, authenticator, and how others join (specification/console.md#first-start). */
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { setupKeyHeader } from '#protocol/vocabulary.ts';
import { useBroker } from '../../data/broker.tsx';
import { useLogIn } from '../../shell/log-in.ts';
import { Mark } from '../../shell/mark.tsx';
import { TotpConfirmation } from '../members/totp-enrollment.tsx';
import { Finished } from './finished.tsx';
import { type Operator, OperatorStep } from './operator-step.tsx';
import { type NewTeam, SetupKeyField, TeamStep } from './team-step.tsx';

/** The key is in the fragment, which browsers do not send. It is removed from the address immediately. */
function keyOfAddress(): string {
  const key = new URLSearchParams(location.hash.slice(1)).get('key') ?? '';
  if (key !== '') history.replaceState(null, '', location.pathname);
  return key;
}

const steps = ['Team', 'You', 'Authenticator', 'Invite'];

function Frame({ step, children }: { step: number; children: ReactNode }) {
  return (
    <main className="flex min-h-full items-center justify-center p-4">
      <div className="flex w-full max-w-lg flex-col gap-5 rounded-lg border border-line bg-surface p-6">
        <div className="flex items-center gap-3">
          <Mark />
          <h1 className="text-xl font-semibold">Set up Muster</h1>
        </div>
        <ol
          className="flex flex-wrap gap-x-3 gap-y-1 text-sm whitespace-nowrap max-sm:gap-x-2 max-sm:text-xs"
          aria-label="Steps"
        >
          {steps.map((name, index) => (
            <li
              key={name}
              aria-current={index === step ? 'step' : undefined}
              className={index === step ? 'font-semibold text-accent' : 'text-faint'}
            >
              {index + 1}. {name}
            </li>
          ))}
        </ol>
        {children}
      </div>
    </main>
  );
}

export function SetupScreen() {
  const { client } = useBroker();
  const [key, setKey] = useState(keyOfAddress);
  const [isKeyAsked, setKeyAsked] = useState(key === '');
  const [step, setStep] = useState(0);
  const [team, setTeam] = useState<NewTeam>({ name: '', directive: '', brief: '' });
  const [admin, setAdmin] = useState<Operator>({ name: '', title: 'Operator' });
  const setUp = useMutation({
    mutationFn: () =>
      client.call('setUp', {
        body: {
          team,
          admin: { name: admin.name, role: { title: admin.title, description: '' } },
          totp: true,
        },
        headers: { [setupKeyHeader]: key.trim() },
      }),
    onSuccess: () => setStep(2),
  });
  const logIn = useLogIn();
  const made = setUp.data;
  const secret =
    made?.totpSecret != null && made.totpUri !== null
      ? { totpSecret: made.totpSecret, totpUri: made.totpUri }
      : null;
  // Each step is a component of its own. Otherwise, React would turn the Back button into the submit button
  // while it is pressed.
  if (step === 0)
    return (
      <Frame step={0}>
        <TeamStep
          team={team}
          onTeam={setTeam}
          keyField={isKeyAsked ? <SetupKeyField value={key} onKey={setKey} /> : null}
          onNext={() => setStep(1)}
        />
      </Frame>
    );
  if (step === 1)
    return (
      <Frame step={1}>
        <OperatorStep
          admin={admin}
          onAdmin={setAdmin}
          error={setUp.error}
          isBusy={setUp.isPending}
          onBack={() => {
            // The key may have been wrong.
            if (setUp.isError) setKeyAsked(true);
            setStep(0);
          }}
          onSetUp={() => setUp.mutate()}
        />
      </Frame>
    );
  if (step === 2 && secret !== null)
    return (
      <Frame step={2}>
        <p className="text-soft">
          You log in with codes from an authenticator. The secret is shown only once.
        </p>
        <TotpConfirmation
          secret={secret}
          isBusy={logIn.isPending}
          onDone={(code) => logIn.mutate({ code, member: admin.name }, { onSettled: () => setStep(3) })}
        />
      </Frame>
    );
  return (
    <Frame step={3}>
      <Finished team={team.name} member={admin.name} isLoggedIn={logIn.isSuccess} />
    </Frame>
  );
}
