/** First start: team, operator, authenticator, and how others join (specification/console.md#first-start). */
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, Suspense, useEffect, useState } from 'react';
import { BrokerError } from '#protocol/errors.ts';
import { setupKeyHeader } from '#protocol/vocabulary.ts';
import { useBroker } from '../../data/broker.tsx';
import { desktopBridge } from '../../data/desktop-bridge.ts';
import { useMutation } from '../../data/use-mutation.ts';
import { lazyScreen } from '../../lazy-screen.ts';
import { Mark } from '../../shell/mark.tsx';
import { tellOtherTabs } from '../../shell/session-news.ts';
import { Button } from '../../ui/button.tsx';
import { sentenceOf } from '../../ui/sentence-of.ts';
import { TotpForm } from '../members/totp-enrollment.tsx';
import { Finished } from './finished.tsx';
import { OperatorStep } from './operator-step.tsx';
import { finishDraft, removeDraft, type SetupDraft, useSetupDraft } from './setup-draft.ts';
import { SetupKeyField, TeamStep } from './team-step.tsx';

const JoinStep = lazyScreen(() => import('./join-step.tsx'), 'JoinStep');

const steps = ['Team', 'You', 'Authenticator', 'Invite'];

/** Without `step`, another team is joined. */
function Frame({ step, children }: { step?: number; children: ReactNode }) {
  return (
    <main className="flex min-h-full items-center justify-center p-4">
      <div className="flex w-full max-w-lg flex-col gap-5 rounded-lg border border-line bg-surface p-6">
        <div className="flex items-center gap-3">
          <Mark />
          <h1 className="text-xl font-semibold">{step === undefined ? 'Join a team' : 'Set up Muster'}</h1>
        </div>
        {step === undefined ? null : <Steps step={step} />}
        {children}
      </div>
    </main>
  );
}

const Steps = ({ step }: { step: number }) => (
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
);

/** `isBack`: the person came back from it, and goes on here. */
const JoinOffer = ({ isBack, onJoin }: { isBack: boolean; onJoin: () => void }) => (
  <div className="flex flex-col gap-3 border-t border-line pt-4">
    <p className="text-soft">Is there a team already, with a database that several machines share?</p>
    <div>
      <Button autoFocus={isBack} onClick={onJoin}>
        Join a team on several machines…
      </Button>
    </div>
  </div>
);

export function SetupScreen() {
  const [joining, setJoining] = useState<'yes' | 'no' | 'came back'>('no');
  const bridge = desktopBridge();
  if (bridge === null) return <Wizard />;
  if (joining !== 'yes')
    return <Wizard offer={<JoinOffer isBack={joining === 'came back'} onJoin={() => setJoining('yes')} />} />;
  return (
    <Frame>
      <Suspense fallback={null}>
        <JoinStep bridge={bridge} onBack={() => setJoining('came back')} />
      </Suspense>
    </Frame>
  );
}

/** `offer`: what the person can do instead, below the first step. */
function Wizard({ offer }: { offer?: ReactNode }) {
  const { client, transport } = useBroker();
  const cache = useQueryClient();
  const [draft, change] = useSetupDraft();
  const [isKeyAsked, setKeyAsked] = useState(draft.key === '');
  const isSettled = useSettledDraft(draft, change);
  const { step, team, admin, secret } = draft;
  const body = {
    team,
    admin: { name: admin.name, role: { title: admin.title, description: '' } },
    totp: true,
  };
  const headers = { [setupKeyHeader]: draft.key.trim() };
  const propose = useMutation({
    mutationFn: async () => secret ?? client.call('proposeAuthenticator', { body, headers }),
    onSuccess: (proposed) => change({ secret: proposed, step: 2 }),
  });
  const setUp = useMutation({
    mutationFn: (code: string) => {
      if (secret === null) throw new Error('there is no authenticator to confirm');
      change({ isSent: true });
      const proof = transport.session === null ? {} : { bound: true, remember: true };
      return client.call('setUp', {
        body: { ...body, confirmed: { totpSecret: secret.totpSecret, code, ...proof } },
        headers,
      });
    },
    onSuccess: ({ session }) => {
      finishDraft();
      if (session === undefined) return undefined;
      transport.session?.keep(session.secret);
      tellOtherTabs();
      return cache.resetQueries();
    },
    onError: (error) => {
      if (error instanceof BrokerError && error.reason !== 'already_set_up') change({ isSent: false });
    },
  });
  const made = setUp.data;
  if (!isSettled) return null;
  // Each step is a component of its own. Otherwise, React would turn the Back button into the submit button
  // while it is pressed.
  if (made !== undefined)
    return (
      <Frame step={3}>
        <Finished
          team={team.name}
          member={admin.name}
          isLoggedIn={made.session !== undefined}
          savedFor={made.savedFor}
        />
      </Frame>
    );
  if (step === 0)
    return (
      <Frame step={0}>
        <TeamStep
          team={team}
          onTeam={(next) => change({ team: next, secret: null })}
          keyField={isKeyAsked ? <SetupKeyField value={draft.key} onKey={(key) => change({ key })} /> : null}
          onNext={() => change({ step: 1 })}
        />
        {offer}
      </Frame>
    );
  if (step === 1 || secret === null)
    return (
      <Frame step={1}>
        <OperatorStep
          admin={admin}
          onAdmin={(next) => change({ admin: next, secret: null })}
          error={propose.error}
          isBusy={propose.isPending}
          onBack={() => {
            // The key may have been wrong.
            if (propose.isError || setUp.isError) setKeyAsked(true);
            change({ step: 0 });
          }}
          onNext={() => propose.mutate()}
        />
      </Frame>
    );
  return (
    <Frame step={2}>
      <p className="text-soft">
        You log in with codes from an authenticator. The broker is set up when you confirm a code.
      </p>
      <TotpForm
        secret={secret}
        isBusy={setUp.isPending}
        problem={setUp.isError ? sentenceOf(setUp.error) : undefined}
        onCode={(code) => setUp.mutate(code)}
        onBack={() => change({ step: 1 })}
      />
      {isAlreadySetUp(setUp.error) ? (
        <a href="/app" className="text-accent underline" onClick={removeDraft}>
          Log in
        </a>
      ) : null}
    </Frame>
  );
}

const isAlreadySetUp = (error: unknown): boolean =>
  error instanceof BrokerError && error.reason === 'already_set_up';

/**
 * After a reload during or after the last request, asks the broker if it is set up: then the console follows,
 * which asks for a code if there is no session. Returns false until this is known.
 */
function useSettledDraft({ isSent }: SetupDraft, change: (change: Partial<SetupDraft>) => void): boolean {
  const { client } = useBroker();
  const [isSettled, setSettled] = useState(!isSent);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what was stored before this page counts
  useEffect(() => {
    if (isSettled) return;
    void client
      .call('session', {})
      .then(
        () => true,
        (error: unknown) => error instanceof BrokerError && error.status === 401,
      )
      .then((isSetUp) => {
        if (isSetUp) {
          removeDraft();
          location.replace('/app');
        } else {
          change({ isSent: false });
          setSettled(true);
        }
      });
  }, []);
  return isSettled;
}
