/** Login by TOTP (specification/authentication.md#sessions). */
import { type FormEvent, useEffect, useState } from 'react';
import { BrokerError } from '#protocol/errors.ts';
import { Button } from '../ui/button.tsx';
import { Field, TextInput } from '../ui/field.tsx';
import { ignoreSecondPresses } from '../ui/second-press.ts';
import { sentenceOf } from '../ui/sentence-of.ts';
import { linkProblem } from './link-login.ts';
import { useLogIn } from './log-in.ts';
import { Mark } from './mark.tsx';
import { TrustHint } from './trust-hint.tsx';

function problemOf(error: unknown): string {
  if (error instanceof BrokerError && error.status === 401)
    return 'This code is not valid. Check the member name and the clock of your authenticator. Each code works only once.';
  if (error instanceof BrokerError && error.status === 429) {
    const minutes = Math.ceil((error.retryAfter ?? 60) / 60);
    return `Too many failed codes. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`;
  }
  return sentenceOf(error);
}

export function Login() {
  const [member, setMember] = useState('');
  const [code, setCode] = useState('');
  const logIn = useLogIn();
  useEffect(ignoreSecondPresses, []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    logIn.mutate({ code, member });
  };
  const write = (typed: string) => {
    setCode(typed);
    const isWhole = /^\d{6}$/.test(typed.replaceAll(/\s/g, ''));
    if (isWhole && member !== '' && !logIn.isPending) logIn.mutate({ code: typed, member });
  };
  return (
    <main className="flex min-h-full items-center justify-center p-4">
      <form
        onSubmit={submit}
        aria-labelledby="login-title"
        className="flex w-full max-w-sm flex-col gap-4 rounded-lg border border-line bg-surface p-6"
      >
        <div className="flex items-center gap-3">
          <Mark />
          <h1 id="login-title" className="text-xl font-semibold">
            Log in to Muster
          </h1>
        </div>
        <Field label="Member" hint="Your name on the team.">
          <TextInput
            value={member}
            onChange={(event) => setMember(event.target.value)}
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            autoFocus
            required
          />
        </Field>
        <Field
          label="Code"
          hint="The six digits from your authenticator."
          error={logIn.isError ? problemOf(logIn.error) : linkProblem()}
        >
          <TextInput
            value={code}
            onChange={(event) => write(event.target.value)}
            inputMode="numeric"
            autoComplete="one-time-code"
            pattern="\s*\d{3}\s?\d{3}\s*"
            title="Six digits"
            required
            className="font-mono tracking-widest"
          />
        </Field>
        <Button type="submit" look="primary" isBusy={logIn.isPending}>
          Log in
        </Button>
        <p className="text-sm text-soft">
          No authenticator yet? A member who manages members can enroll one for you, or you can do it yourself
          with <code className="font-mono">muster members enroll-totp &lt;you&gt;</code>.
        </p>
        <TrustHint />
      </form>
    </main>
  );
}
