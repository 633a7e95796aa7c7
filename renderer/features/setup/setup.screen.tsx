/** First start: team, operator, authenticator, and how others join. Under a minute (design "First start"). */
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { limits } from '#protocol/limits.ts';
import { type SetupReply, setupKeyHeader } from '#protocol/setup.ts';
import { useBroker } from '../../data/broker.tsx';
import { Mark } from '../../shell/mark.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyLine } from '../../ui/copy-button.tsx';
import { Field, TextArea, TextInput } from '../../ui/field.tsx';
import { FormError } from '../../ui/states.tsx';
import { TotpConfirmation } from '../members/totp-enrolment.tsx';

/** The key stands behind the hash, which browsers do not send; it is taken out of the address at once. */
function takeKey(): string {
  const key = new URLSearchParams(location.hash.slice(1)).get('key') ?? '';
  if (key !== '') history.replaceState(null, '', location.pathname);
  return key;
}

const steps = ['Team', 'You', 'Authenticator', 'Others'];

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
  const {
    client,
    transport: { origin },
  } = useBroker();
  const [key, setKey] = useState(takeKey);
  const [isKeyAsked, setKeyAsked] = useState(key === '');
  const [step, setStep] = useState(0);
  const [team, setTeam] = useState({ name: '', directive: '', brief: '' });
  const [admin, setAdmin] = useState({ name: '', title: 'Operator' });
  const [made, setMade] = useState<SetupReply | null>(null);
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
    onSuccess: (reply) => {
      setMade(reply);
      setStep(2);
    },
  });
  if (step === 0)
    return (
      <Frame step={0}>
        {/* Keys: else the button that goes back becomes, while it is pressed, the one that submits. */}
        <form
          key="team"
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            setStep(1);
          }}
        >
          {isKeyAsked ? (
            <Field label="Set-up key" hint="The broker printed it at start, in the link that ends in #key=…">
              <TextInput
                value={key}
                onChange={(event) => setKey(event.target.value)}
                required
                className="font-mono"
                autoComplete="off"
              />
            </Field>
          ) : null}
          <Field label="Name of the team">
            <TextInput
              value={team.name}
              onChange={(event) => setTeam({ ...team, name: event.target.value })}
              maxLength={limits.team.name}
              required
            />
          </Field>
          <Field label="Directive" hint="One sentence: what the team is for. Agents read it first.">
            <TextArea
              value={team.directive}
              onChange={(event) => setTeam({ ...team, directive: event.target.value })}
              maxLength={limits.team.directive}
              rows={2}
            />
          </Field>
          <Field label="Brief (optional)" hint="What everybody should know. It can be changed at any time.">
            <TextArea
              value={team.brief}
              onChange={(event) => setTeam({ ...team, brief: event.target.value })}
              maxLength={limits.team.brief}
              rows={4}
            />
          </Field>
          <div className="flex justify-end">
            <Button type="submit" look="primary">
              Next
            </Button>
          </div>
        </form>
      </Frame>
    );
  if (step === 1)
    return (
      <Frame step={1}>
        <form
          key="you"
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            setUp.mutate();
          }}
        >
          <Field label="Your name" hint="Letters, digits, dot, dash and underscore.">
            <TextInput
              value={admin.name}
              onChange={(event) => setAdmin({ ...admin, name: event.target.value })}
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
              onChange={(event) => setAdmin({ ...admin, title: event.target.value })}
              maxLength={limits.roleTitle}
              required
            />
          </Field>
          <p className="text-soft">You hold every permission, and can give them to others later.</p>
          <FormError error={setUp.error} />
          <div className="flex justify-between">
            <Button
              onClick={() => {
                // The key may be what was wrong.
                if (setUp.isError) setKeyAsked(true);
                setStep(0);
              }}
            >
              Back
            </Button>
            <Button type="submit" look="primary" isBusy={setUp.isPending}>
              Set up
            </Button>
          </div>
        </form>
      </Frame>
    );
  if (step === 2 && made?.totpSecret != null && made.totpUri !== null)
    return (
      <Frame step={2}>
        <p className="text-soft">Codes of an authenticator log you in here. It is shown once.</p>
        <TotpConfirmation
          secret={{ totpSecret: made.totpSecret, totpUri: made.totpUri }}
          onDone={() => setStep(3)}
        />
      </Frame>
    );
  return (
    <Frame step={3}>
      <div className="flex flex-col gap-4">
        <p>
          <strong>{team.name}</strong> is set up. This is your token for the command line; it is shown once:
        </p>
        <CopyLine label="Token" text={made?.token ?? ''} />
        <p className="text-soft">A teammate or an agent joins from another machine with:</p>
        <CopyLine label="Join command" text={`npx svc connect --url ${origin}`} />
        <a
          href="/app"
          className="inline-flex h-8 items-center justify-center rounded-md bg-accent px-3 font-medium text-on-accent hover:bg-accent-hover"
        >
          Log in
        </a>
      </div>
    </Frame>
  );
}
